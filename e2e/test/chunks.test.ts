import * as ai7 from "ai";
import type { UIMessage, UIMessageChunk } from "ai";
import * as ai6 from "ai-6";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

// What the bridge makes of AG-UI events for a chat of each major, given to the package that
// has to read it.

const chunks = new URL("../../testdata/chunks/", import.meta.url);
const streams = readdirSync(new URL("v7/", chunks));

test("there are streams to read", () => {
  expect(streams.length).toBeGreaterThan(8);
});

// The majors are one in what is used of them here.
const majors = [
  ["ai 6", ai6 as unknown as typeof ai7, new URL("v6/", chunks)],
  ["ai 7", ai7, new URL("v7/", chunks)],
] as const;

describe.each(majors)(
  "%s",
  (
    _,
    { safeValidateUIMessages, readUIMessageStream, uiMessageChunkSchema },
    folder,
  ) => {
    const read = (name: string) =>
      readFileSync(new URL(name, folder), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as UIMessageChunk);

    test.each(streams)(
      "%s: every chunk is one the package knows",
      async (name) => {
        const { validate } = uiMessageChunkSchema();
        for (const chunk of read(name)) {
          expect(await validate?.(chunk)).toMatchObject({ success: true });
        }
      },
    );

    test.each(streams)(
      "%s: gives a message that a chat can keep",
      async (name) => {
        const chunks = read(name);
        const message = await reduce(chunks, await before(name));
        if (chunks.at(-1)?.type === "error") {
          return; // what a chat does then is to show the error
        }
        expect(message).toMatchObject({ id: "msg-r0", role: "assistant" });
        expect(
          await safeValidateUIMessages({ messages: [message] }),
        ).toMatchObject({
          success: true,
        });
      },
    );

    /** For a run that resumes: the message with its answered approval, as a chat holds it. */
    async function before(name: string): Promise<UIMessage | undefined> {
      if (!name.includes("resumed")) {
        return undefined;
      }
      const message = await reduce(read("approval-requested.jsonl"), undefined);
      const approved = !name.startsWith("denied");
      return {
        ...message,
        parts: message.parts.map((part) =>
          part.type === "tool-send_email"
            ? ({
                ...part,
                state: "approval-responded",
                approval: { id: "a", approved },
              } as typeof part)
            : part,
        ),
      };
    }

    async function reduce(
      chunks: UIMessageChunk[],
      message: UIMessage | undefined,
    ): Promise<UIMessage> {
      const failed = chunks.at(-1)?.type === "error";
      const stream = new ReadableStream<UIMessageChunk>({
        start(controller) {
          for (const chunk of chunks) {
            controller.enqueue(chunk);
          }
          controller.close();
        },
      });
      let last: UIMessage | undefined;
      const errors: unknown[] = [];
      const options = message === undefined ? {} : { message };
      for await (const state of readUIMessageStream({
        stream,
        ...options,
        onError: (error) => errors.push(error),
      })) {
        last = state;
      }
      expect(errors).toHaveLength(failed ? 1 : 0);
      if (last === undefined) {
        throw new Error("the stream gave no message");
      }
      return last;
    }
  },
);
