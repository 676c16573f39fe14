import * as seven from "ai";
import type { UIMessage } from "ai";
import * as six from "ai-6";

import type { Json } from "../differential/case.js";
import type { Case, Major, Result } from "./case.js";

// What is used of the two majors is the same in both.
const packages: Record<Major, typeof seven> = {
  6: six as unknown as typeof seven,
  7: seven,
};

/** Written after the last chunk, so that what was not published shows. */
const flush = { type: "data-flush", data: null };

const turn = () => new Promise((done) => setImmediate(done));

/** An answer whose chunks come one at a time: of two at once the first may get lost. */
function answer(lines: string[], sent: (n: number) => void): Response {
  const encoder = new TextEncoder();
  let over = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const [i, line] of lines.entries()) {
        if (over) return;
        sent(i + 1);
        controller.enqueue(encoder.encode(`data: ${line}\n\n`));
        await turn();
        await turn();
      }
      if (!over) controller.close();
    },
    cancel() {
      over = true;
    },
  });
  return new Response(body, { status: 200 });
}

/** Text without lone surrogates, which Go has no place for. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_, v: unknown) =>
      typeof v === "string" ? v.replace(/\p{Surrogate}/gu, "\ufffd") : v,
    ),
  ) as Json;
}

/** Runs a case through the published package, as a chat does. */
export async function run(c: Case): Promise<Result> {
  const { DefaultChatTransport, readUIMessageStream, safeValidateUIMessages } =
    packages[c.major];
  let sent = 0;
  const result: Result = { at: c.lines.length, failures: [], shown: null };
  const lines = [...c.lines, JSON.stringify(flush)];
  const transport = new DefaultChatTransport({
    fetch: () =>
      Promise.resolve(
        answer(lines, (n) => {
          sent = n;
        }),
      ),
  });
  const stream = await transport.sendMessages({
    chatId: "chat",
    messages: [],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  const message =
    c.message === undefined
      ? {}
      : { message: structuredClone(c.message) as unknown as UIMessage };
  const snapshots = readUIMessageStream({
    stream,
    ...message,
    onError: (thrown) => {
      const error = thrown as Error;
      if (error.name === "Error") {
        result.failures.push(error.message);
      } else if (result.error === undefined) {
        result.error = error.name;
        result.says = error.message.slice(0, 300);
        result.at = sent - 1;
      }
    },
  });
  let shown: UIMessage | undefined;
  for await (const snapshot of snapshots) {
    const last = snapshot.parts.at(-1);
    if (last?.type === flush.type) {
      result.final = plain({ ...snapshot, parts: snapshot.parts.slice(0, -1) });
    } else {
      shown = snapshot;
    }
  }
  if (shown !== undefined) result.shown = plain(shown);
  if (result.shown !== null) {
    const { success } = await safeValidateUIMessages({
      messages: [result.shown],
    });
    result.valid = success;
  }
  return result;
}
