import type { UIMessage, UIMessageChunk, UIMessageStreamOptions } from "ai";
import type { ServerResponse } from "node:http";

import { kits } from "./aisdk-kit.js";
import type { Kit, Major } from "./aisdk-kit.js";
import { play } from "./aisdk-model.js";
import { toolApproval, tools } from "./aisdk-tools.js";
import type { Execution } from "./aisdk-tools.js";
import { bookingMessage, failure, heard } from "./scenario.js";
import { serve } from "./server.js";

export type Kind = "streamText" | "ToolLoopAgent" | "createUIMessageStream";
export const kinds: readonly Kind[] = [
  "streamText",
  "ToolLoopAgent",
  "createUIMessageStream",
];

/** What a chat posts. */
export interface ChatBody {
  id: string;
  messages: UIMessage[];
  trigger: string;
  messageId?: string;
}

export interface AISDKAgent {
  major: Major;
  kind: Kind;
  /** Where a chat posts to. */
  url: string;
  /** The bodies received, parsed, in order. */
  requests: ChatBody[];
  /** The tools that ran. */
  executed: Execution[];
  /** The prompts that the model was given. */
  prompts: unknown[];
  /** What went wrong inside the agent. */
  errors: unknown[];
  /** How many requests their sender gave up. */
  aborted: number;
  /** Every chunk sent, in order. */
  sent: UIMessageChunk[];
  /** Changes what was received before the agent reads it, as a forger would. */
  forge?: (body: ChatBody) => void;
  /** Forgets what was recorded. */
  clear(): void;
  close(): Promise<void>;
}

export interface AISDKAgentOptions {
  major: Major;
  kind: Kind;
  /** Signs the approvals that the agent asks for, and wants them back signed. */
  secret?: string;
  /** The calls of every turn are named alike, as some providers do. */
  reusesIds?: boolean;
}

/**
 * An agent written with the AI SDK behind an HTTP endpoint, as its users write them. Only
 * the model is the package's own mock.
 */
export async function startAISDKAgent(
  options: AISDKAgentOptions,
): Promise<AISDKAgent> {
  const kit = kits[options.major];
  const ids = { calls: 0, messages: 0 };
  const agent: Omit<AISDKAgent, "url" | "close"> = {
    major: options.major,
    kind: options.kind,
    requests: [],
    executed: [],
    prompts: [],
    errors: [],
    aborted: 0,
    sent: [],
    clear: () => {
      for (const list of [
        agent.requests,
        agent.executed,
        agent.prompts,
        agent.errors,
        agent.sent,
      ]) {
        list.length = 0;
      }
      agent.aborted = 0;
    },
  };
  const endpoint = new Endpoint(kit, options, agent, ids);
  const server = await serve(async (text, response) => {
    const body = JSON.parse(text) as ChatBody;
    agent.requests.push(structuredClone(body));
    agent.forge?.(body);
    if (options.reusesIds === true && body.messages.at(-1)?.role === "user") {
      ids.calls = 0;
    }
    const stopped = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) {
        agent.aborted++;
        stopped.abort();
      }
    });
    await endpoint.answer(body.messages, response, stopped.signal);
  });
  return Object.assign(agent, {
    url: `http://${server.address}/api/chat`,
    close: () => server.close(),
  });
}

class Endpoint {
  private readonly kit: Kit;
  private readonly kind: Kind;
  private readonly record: Omit<AISDKAgent, "url" | "close">;
  private readonly ids: { calls: number; messages: number };
  /** What streamText and ToolLoopAgent both take. */
  private readonly settings;

  constructor(
    kit: Kit,
    options: AISDKAgentOptions,
    record: Omit<AISDKAgent, "url" | "close">,
    ids: { calls: number; messages: number },
  ) {
    this.kit = kit;
    this.kind = options.kind;
    this.record = record;
    this.ids = ids;
    this.settings = {
      model: kit.model((call) => {
        record.prompts.push(structuredClone(call.prompt));
        return play(kit, call, () => `call_${String(ids.calls++)}`);
      }),
      tools: tools(kit, record.executed),
      stopWhen: kit.stopAfter(10),
      maxRetries: 0,
      ...(options.secret === undefined
        ? {}
        : { experimental_toolApprovalSecret: options.secret }),
      ...(kit.major === 7 ? { toolApproval } : {}),
      onError: ({ error }: { error: unknown }) => {
        this.failed(error);
      },
    };
  }

  async answer(
    messages: UIMessage[],
    response: ServerResponse,
    abortSignal: AbortSignal,
  ): Promise<void> {
    const { word } = heard(lastText(messages));
    const stream = await this.stream(word, messages, abortSignal);
    const record = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform: (chunk, controller) => {
        this.record.sent.push(chunk);
        controller.enqueue(chunk);
        if (word === "drop" && chunk.type === "text-delta") {
          // What was written must be under way before the connection breaks.
          setTimeout(() => response.destroy(), 50);
        }
      },
    });
    await this.kit.sdk.pipeUIMessageStreamToResponse({
      response,
      stream: stream.pipeThrough(record),
    });
  }

  private stream(
    word: string,
    messages: UIMessage[],
    abortSignal: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    switch (this.kind) {
      case "streamText":
        return this.streamText(word, messages, abortSignal, {});
      case "ToolLoopAgent":
        return this.toolLoop(word, messages, abortSignal);
      case "createUIMessageStream":
        return Promise.resolve(this.written(word, messages, abortSignal));
    }
  }

  private async streamText(
    word: string,
    messages: UIMessage[],
    abortSignal: AbortSignal,
    more: UIMessageStreamOptions<UIMessage>,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { sdk } = this.kit;
    const result = sdk.streamText({
      ...this.settings,
      messages: await sdk.convertToModelMessages(messages, {
        tools: this.settings.tools,
      }),
      abortSignal,
    });
    return this.kit.chunks(
      result as never,
      Object.assign(
        { ...this.options(word), originalMessages: messages },
        more,
      ),
    );
  }

  private async toolLoop(
    word: string,
    messages: UIMessage[],
    abortSignal: AbortSignal,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { sdk } = this.kit;
    return sdk.createAgentUIStream({
      agent: new sdk.ToolLoopAgent(this.settings) as never,
      uiMessages: messages,
      abortSignal,
      ...(this.options(word) as object),
    });
  }

  private options(word: string): UIMessageStreamOptions<UIMessage> {
    return {
      generateMessageId: () => `answer-${String(this.ids.messages++)}`,
      sendSources: true,
      sendReasoning: true,
      ...(word === "mute" ? { sendFinish: false } : {}),
      messageMetadata: ({ part }) => {
        switch (part.type) {
          case "start":
            return { model: "mock" };
          case "finish":
            return { usage: { totalTokens: part.totalUsage.totalTokens } };
        }
        return undefined;
      },
      onError: (error) => {
        this.failed(error);
        return error instanceof Error ? error.message : String(error);
      },
    };
  }

  /** The package tells of an error where it happens, and again where it is sent. */
  private failed(error: unknown): void {
    if (!this.record.errors.includes(error)) {
      this.record.errors.push(error);
    }
  }

  /** An agent that writes its stream itself, and merges what the model says into it. */
  private written(
    word: string,
    messages: UIMessage[],
    abortSignal: AbortSignal,
  ): ReadableStream<UIMessageChunk> {
    const { onError, generateMessageId } = this.options(word);
    return this.kit.sdk.createUIMessageStream({
      originalMessages: messages,
      ...(generateMessageId === undefined
        ? {}
        : { generateId: generateMessageId }),
      ...(onError === undefined ? {} : { onError }),
      execute: async ({ writer }) => {
        const own = writings[word];
        if (own !== undefined && !continues(messages)) {
          writer.write({ type: "start" });
          for (const chunk of own) {
            writer.write(chunk);
          }
        }
        if (word === "throw") {
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw new Error(failure);
        }
        if (word === "early") {
          return;
        }
        const said = await this.streamText(word, messages, abortSignal, {
          sendStart: own === undefined || continues(messages),
        });
        writer.merge(said.pipeThrough(described()));
      },
    });
  }
}

/** What the user said last. */
function lastText(messages: UIMessage[]): string {
  return (
    messages
      .findLast((message) => message.role === "user")
      ?.parts.map((part) => (part.type === "text" ? part.text : ""))
      .join("") ?? ""
  );
}

/** Whether the agent goes on with its own message. */
function continues(messages: UIMessage[]): boolean {
  return messages.at(-1)?.role === "assistant";
}

/** What an application shows of a call beside the question whether it may run. */
export const descriptor = { title: "Approve this?", risk: { level: 3 } };

/**
 * The packages carry a descriptor of an approval and never write one: an application puts
 * it on the request as it passes. A form is hinted at in the same way.
 */
function described(): TransformStream<UIMessageChunk, UIMessageChunk> {
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.type === "tool-approval-request") {
        controller.enqueue({ ...chunk, approvalDescriptor: descriptor });
        return;
      }
      controller.enqueue(chunk);
      if (
        chunk.type === "tool-input-available" &&
        chunk.toolName === "request_input"
      ) {
        const { toolCallId } = chunk;
        controller.enqueue({
          type: "data-render",
          id: `render-${toolCallId}`,
          data: {
            toolCallId,
            render: { kind: "elicitation", message: bookingMessage },
          },
        });
      }
    },
  });
}

/** What the writing agent says by itself, before the model has its turn. */
const writings: Record<string, UIMessageChunk[]> = {
  state: [
    {
      type: "data-state",
      id: "state",
      data: { steps: ["first", "second"], done: true },
    },
  ],
  data: [
    { type: "data-progress", id: "p1", data: { percent: 10 } },
    { type: "data-note", data: "unnamed" },
    { type: "data-progress", id: "p1", data: { percent: 100 } },
    { type: "data-toast", data: { text: "gone soon" }, transient: true },
  ],
  order: [
    { type: "text-start", id: "mine" },
    { type: "text-delta", id: "mine", delta: "Written first." },
    { type: "text-end", id: "mine" },
    { type: "data-note", data: "between" },
    { type: "message-metadata", messageMetadata: { written: true } },
  ],
  throw: [
    { type: "text-start", id: "mine" },
    { type: "text-delta", id: "mine", delta: "Half a senten" },
  ],
  early: [
    { type: "start-step" },
    { type: "text-start", id: "mine" },
    { type: "text-delta", id: "mine", delta: "All I had to say." },
    { type: "text-end", id: "mine" },
    { type: "finish-step" },
  ],
};
