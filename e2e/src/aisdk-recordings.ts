import * as seven from "ai";
import type { ToolSet, UIMessage, UIMessageChunk } from "ai";
import { MockLanguageModelV3 as Model7 } from "ai/test";
import * as six from "ai-6";
import { MockLanguageModelV3 as Model6 } from "ai-6/test";
import { z } from "zod";

import type { Case, Major } from "../aisdk-differential/case.js";
import type { JsonObject } from "../differential/case.js";

// What the server side of the package streams, recorded: a model that is played, tools
// that run, and a person who approves.

const packages = { 6: six as unknown as typeof seven, 7: seven };
const models = { 6: Model6 as unknown as typeof Model7, 7: Model7 };

type ModelPart = Record<string, unknown>;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const providerMetadata = { acme: { id: "x", n: null } };

function finish(unified: string): ModelPart {
  return { type: "finish", usage, finishReason: { unified, raw: unified } };
}

const says = (text: string): ModelPart[] => [
  { type: "text-start", id: "0", providerMetadata },
  ...Array.from(text).map((delta) => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
  finish("stop"),
];

const calls = (toolName: string, input: string): ModelPart[] => [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "hm", providerMetadata },
  { type: "reasoning-end", id: "r" },
  { type: "tool-input-start", id: "call-1", toolName },
  ...input
    .split(/(?<=[,:])/)
    .map((delta) => ({ type: "tool-input-delta", id: "call-1", delta })),
  { type: "tool-input-end", id: "call-1" },
  {
    type: "tool-call",
    toolCallId: "call-1",
    toolName,
    input,
    providerMetadata,
  },
  finish("tool-calls"),
];

const bits: ModelPart[] = [
  {
    type: "source",
    sourceType: "url",
    id: "s1",
    url: "https://example.com/",
    title: "A",
  },
  {
    type: "source",
    sourceType: "document",
    id: "s2",
    mediaType: "text/plain",
    title: "B",
    filename: "b.txt",
  },
  { type: "file", mediaType: "text/plain", data: "aGk=" },
];

/** One answer of a server, and the answers of the person before it. */
interface Scene {
  name: string;
  /** What the model says, call by call. */
  model: ModelPart[][];
  /** What the person says to the approval that the scene before asked for. */
  approved?: boolean;
  /** What the rules of the server say instead (ai 7). */
  policy?: "approved" | "denied";
}

const scenes: Scene[] = [
  { name: "text", model: [says("Hello, “world”.")] },
  { name: "sources-and-files", model: [[...bits, ...says("See above.")]] },
  {
    name: "tool",
    model: [calls("look", '{"q":"x","n":[1,2]}'), says("Done.")],
  },
  { name: "tool-fails", model: [calls("fail", "{}"), says("It failed.")] },
  { name: "tool-streams", model: [calls("watch", "{}"), says("Watched.")] },
  { name: "tool-unknown", model: [calls("nobody", '{"q":1}'), says("No.")] },
  { name: "tool-bad-input", model: [calls("look", '{"q":1}'), says("No.")] },
  { name: "client-tool", model: [calls("where", "{}")] },
  { name: "asked", model: [calls("send", '{"to":"ada"}')] },
  { name: "approved", model: [says("Sent.")], approved: true },
  { name: "denied", model: [says("Not sent.")], approved: false },
  {
    name: "approved-by-rule",
    model: [calls("send", '{"to":"ada"}'), says("Sent.")],
    policy: "approved",
  },
  {
    name: "denied-by-rule",
    model: [calls("send", '{"to":"ada"}'), says("Not sent.")],
    policy: "denied",
  },
];

const tools = {
  look: {
    inputSchema: z.object({ q: z.string(), n: z.array(z.number()) }),
    execute: ({ q }: { q: string }) => ({ found: q }),
  },
  fail: {
    inputSchema: z.object({}),
    execute: () => {
      throw new Error("it broke");
    },
  },
  watch: {
    inputSchema: z.object({}),
    async *execute() {
      yield await Promise.resolve("loading");
      yield { t: 10 };
    },
  },
  where: { inputSchema: z.object({}) },
  send: {
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }: { to: string }) => `sent to ${to}`,
  },
} as unknown as ToolSet;

/** Ids that the package makes up are named anew. */
function stable(lines: string[]): string[] {
  const id = /"approvalId":"([^"]*)"/.exec(lines.join("\n"))?.[1];
  return id === undefined
    ? lines
    : lines.map((line) => line.replaceAll(id, "approval-1"));
}

/** What is used of a result; ai 7 would rather have it written another way. */
interface Streamed {
  toUIMessageStream(options: object): AsyncIterable<UIMessageChunk>;
}

async function record(
  major: Major,
  scene: Scene,
  before: UIMessage | undefined,
): Promise<string[]> {
  const { streamText, convertToModelMessages, stepCountIs } = packages[major];
  const left = [...scene.model];
  const model = new models[major]({
    doStream: () => {
      const chunks = left.shift() ?? says("Nothing more.");
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      return Promise.resolve({ stream } as never);
    },
  });
  const user: UIMessage = {
    id: "u",
    role: "user",
    parts: [{ type: "text", text: "hi" }],
  };
  const history = before === undefined ? [user] : [user, before];
  const result: unknown = streamText({
    model,
    tools,
    messages: await convertToModelMessages(history),
    stopWhen: stepCountIs(4),
    ...(scene.policy === undefined
      ? {}
      : { toolApproval: { send: { type: scene.policy, reason: "a rule" } } }),
    onError: () => undefined,
  });
  const lines: string[] = [];
  const stream = (result as Streamed).toUIMessageStream({
    originalMessages: history,
    generateMessageId: () => "msg-1",
    sendSources: true,
    messageMetadata: ({ part }: { part: { type: string } }) =>
      part.type === "start" ? { begun: true } : undefined,
    onError: (error: unknown) => (error instanceof Error ? error.message : "?"),
  });
  for await (const chunk of stream) lines.push(JSON.stringify(chunk));
  return stable(lines);
}

async function held(major: Major, lines: string[]): Promise<UIMessage> {
  const { readUIMessageStream } = packages[major];
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const line of lines) {
        controller.enqueue(JSON.parse(line) as UIMessageChunk);
      }
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  if (last === undefined) throw new Error("the stream gave no message");
  return JSON.parse(JSON.stringify(last)) as UIMessage;
}

/** The message with its approval answered, as a chat sends it. */
function answered(message: UIMessage, approved: boolean): UIMessage {
  const parts = message.parts.map((part) =>
    "approval" in part && part.approval !== undefined
      ? {
          ...part,
          state: "approval-responded",
          approval: { ...part.approval, approved, reason: "I say so" },
        }
      : part,
  );
  return { ...message, parts: parts as UIMessage["parts"] };
}

/** Everything the server side of a major was recorded to stream. */
export async function recordings(major: Major): Promise<Case[]> {
  const cases: Case[] = [];
  let asked: UIMessage | undefined;
  for (const scene of scenes) {
    if (scene.policy !== undefined && major === 6) continue;
    const before =
      scene.approved === undefined || asked === undefined
        ? undefined
        : answered(asked, scene.approved);
    const lines = await record(major, scene, before);
    if (scene.name === "asked") asked = await held(major, lines);
    cases.push({
      id: `v${String(major)}-recorded-${scene.name}`,
      major,
      ...(before === undefined
        ? {}
        : { message: before as unknown as JsonObject }),
      lines,
      kinds: ["recorded"],
    });
  }
  return cases;
}
