import {
  convertToModelMessages,
  isStepCount,
  pipeUIMessageStreamToResponse,
  streamText,
  tool,
  toUIMessageStream,
} from "ai";
import type { UIMessage } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

import { serve } from "./server.js";
import type { Server } from "./server.js";

export interface Email {
  to: string;
  subject: string;
  body: string;
}

/** What the mailer did, and what its model was told. */
export interface Mailer extends Server {
  sent: Email[];
  prompts: unknown[];
  model: () => string;
}

const proposal: Email = {
  to: "ada@example.com",
  subject: "Hello",
  body: "How are you?",
};

/**
 * An agent as the AI SDK's users write it: `streamText` with a tool that needs approval,
 * behind an HTTP endpoint. Only the model is the package's own mock: it calls the tool for
 * every message of the user, and closes when it has seen what became of the call.
 */
export async function startMailer(): Promise<Mailer> {
  const sent: Email[] = [];
  const prompts: unknown[] = [];
  let calls = 0;
  const model = new MockLanguageModelV4({
    doStream: ({ prompt }) => {
      prompts.push(prompt);
      const last = prompt.at(-1);
      const parts =
        last?.role === "tool"
          ? say("All done.")
          : say("Let me send that.", {
              id: `call-${String(++calls)}`,
              input: JSON.stringify(proposal),
            });
      return Promise.resolve({ stream: convertArrayToReadableStream(parts) });
    },
  });
  const sendEmail = tool({
    description: "Sends an email.",
    inputSchema: z.object({
      to: z.string(),
      subject: z.string(),
      body: z.string(),
    }),
    needsApproval: true,
    execute: (email) => {
      sent.push(email);
      return { sent: true, to: email.to };
    },
  });
  const server = await serve(async (body, response) => {
    const { messages } = JSON.parse(body) as { messages: UIMessage[] };
    const result = streamText({
      model,
      tools: { send_email: sendEmail },
      messages: await convertToModelMessages(messages),
      stopWhen: isStepCount(5),
    });
    await pipeUIMessageStreamToResponse({
      response,
      stream: toUIMessageStream({
        stream: result.stream,
        originalMessages: messages,
      }),
    });
  });
  return {
    ...server,
    sent,
    prompts,
    model: () => JSON.stringify(prompts.at(-1)),
  };
}

type StreamPart =
  Awaited<
    ReturnType<MockLanguageModelV4["doStream"]>
  >["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

function say(text: string, call?: { id: string; input: string }): StreamPart[] {
  const parts: StreamPart[] = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "text" },
    { type: "text-delta", id: "text", delta: text },
    { type: "text-end", id: "text" },
  ];
  if (call !== undefined) {
    parts.push({
      type: "tool-call",
      toolCallId: call.id,
      toolName: "send_email",
      input: call.input,
    });
  }
  parts.push({
    type: "finish",
    finishReason: {
      unified: call === undefined ? "stop" : "tool-calls",
      raw: undefined,
    },
    usage: {
      inputTokens: {
        total: 3,
        noCache: 3,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: 5, text: 5, reasoning: undefined },
    },
  });
  return parts;
}
