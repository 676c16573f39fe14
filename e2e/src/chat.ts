import { Chat as Chat7 } from "@ai-sdk/react";
import {
  DefaultChatTransport as HttpTransport7,
  WebSocketChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses as decided7,
  lastAssistantMessageIsCompleteWithToolCalls as completed7,
  validateUIMessages as validate7,
} from "ai";
import type { ChatTransport, UIMessage } from "ai";
import {
  DefaultChatTransport as HttpTransport6,
  lastAssistantMessageIsCompleteWithApprovalResponses as decided6,
  lastAssistantMessageIsCompleteWithToolCalls as completed6,
  validateUIMessages as validate6,
} from "ai-6";
import { Chat as Chat6 } from "ai-sdk-react-3";
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

/** The front ends of the AI SDK: the published transports, with the Chat of their major. */
export const fronts = ["ai 6, HTTP", "ai 7, HTTP", "ai 7, WebSocket"] as const;
export type Front = (typeof fronts)[number];

/** When a chat posts by itself: by which of the SDK's predicates. */
export type Automatic = "decided" | "completed" | "both" | "never";

/** A part of a message, as far as tests look at it. */
export interface Part {
  type: string;
  text?: string;
  state?: string;
  toolCallId?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  data?: unknown;
  approval?: {
    id: string;
    approved?: boolean;
    reason?: string;
    isAutomatic?: boolean;
    signature?: string;
  };
}

export interface ChatOptions {
  front: Front;
  /** Of the bridge, http://host:port. */
  base: string;
  agent: string;
  id?: string;
  messages?: unknown[];
  automatic?: Automatic;
  body?: Record<string, unknown>;
}

/** A Chat of either major, on the transport that was asked for. */
export interface TestChat {
  id: string;
  major: 6 | 7;
  /** How often it has sent messages. */
  sends(): number;
  status(): string;
  error(): Error | undefined;
  /** What it holds, as JSON. */
  messages(): UIMessage[];
  /** The parts of the last message. */
  parts(): Part[];
  /** All text of the last message. */
  text(): string;
  tool(name: string): Part;
  say(text: string): Promise<void>;
  /** Sends without a new message. */
  send(): Promise<void>;
  regenerate(): Promise<void>;
  decide(
    approval: string | undefined,
    approved: boolean,
    reason?: string,
  ): Promise<void>;
  answer(toolCallId: string | undefined, output: unknown): Promise<void>;
  fail(toolCallId: string | undefined, errorText: string): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
  set(messages: unknown[]): void;
  /** Waits until nothing is being sent, and it stays so. */
  settled(): Promise<void>;
  /** Fails if servers of this major would not take the messages. */
  valid(): Promise<void>;
  /** Chunks of the stream itself, for those who want no Chat. */
  transport: ChatTransport<UIMessage>;
  close(): void;
}

/** A chat that posts more often than this has lost its mind. */
const tooOften = 20;

export function openChat(options: ChatOptions): TestChat {
  const major = options.front === "ai 6, HTTP" ? 6 : 7;
  const transport = transportOf(options);
  let sends = 0;
  const send = transport.sendMessages.bind(transport);
  transport.sendMessages = (request) => {
    sends++;
    if (sends > tooOften) {
      throw new Error("the chat posts for ever");
    }
    return send(request);
  };
  const init = {
    id: options.id ?? randomUUID(),
    transport,
    messages: (options.messages ?? []) as UIMessage[],
    sendAutomaticallyWhen: predicate(major, options.automatic ?? "both"),
  };
  const chat = (
    major === 6 ? new Chat6(init as never) : new Chat7(init)
  ) as Chat7<UIMessage>;
  const messages = () => plain(chat.messages);
  const parts = () => (messages().at(-1)?.parts ?? []) as Part[];
  return {
    id: init.id,
    major,
    sends: () => sends,
    status: () => chat.status,
    error: () => chat.error,
    messages,
    parts,
    text: () =>
      parts()
        .filter((part) => part.type === "text")
        .map((part) => part.text)
        .join(""),
    tool: (name) => {
      const part = parts().findLast((each) => each.type === `tool-${name}`);
      if (part === undefined) {
        throw new Error(`no call of ${name} in ${JSON.stringify(parts())}`);
      }
      return part;
    },
    say: (text) => chat.sendMessage({ text }),
    send: () => chat.sendMessage(),
    regenerate: () => chat.regenerate(),
    decide: async (approval, approved, reason) => {
      await chat.addToolApprovalResponse({
        id: approval ?? "",
        approved,
        ...(reason === undefined ? {} : { reason }),
      });
    },
    answer: async (toolCallId, output) => {
      await chat.addToolOutput({
        tool: "any" as never,
        toolCallId: toolCallId ?? "",
        output: output as never,
      });
    },
    fail: async (toolCallId, errorText) => {
      await chat.addToolOutput({
        state: "output-error",
        tool: "any" as never,
        toolCallId: toolCallId ?? "",
        errorText,
      });
    },
    resume: () => chat.resumeStream(),
    stop: () => chat.stop(),
    set: (next) => {
      chat.messages = next as UIMessage[];
    },
    settled: async () => {
      for (let quiet = 0; quiet < 3; ) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        quiet =
          chat.status === "ready" || chat.status === "error" ? quiet + 1 : 0;
      }
    },
    valid: async () => {
      const validate = (major === 6 ? validate6 : validate7) as (o: {
        messages: unknown;
      }) => Promise<unknown>;
      await validate({ messages: messages() });
    },
    transport,
    close: () => {
      (transport as { close?: () => void }).close?.();
    },
  };
}

function transportOf(options: ChatOptions): ChatTransport<UIMessage> {
  const url = `${options.base}/v1/agents/${options.agent}/aisdk`;
  const body = options.body ?? {};
  switch (options.front) {
    case "ai 6, HTTP":
      return new HttpTransport6({
        api: url,
        body,
      }) as unknown as ChatTransport<UIMessage>;
    case "ai 7, HTTP":
      return new HttpTransport7({ api: `${url}?profile=v7`, body });
    case "ai 7, WebSocket":
      return new WebSocketChatTransport({
        url,
        body,
        webSocket: WebSocket as never,
      });
  }
}

function predicate(major: 6 | 7, when: Automatic) {
  const decided = (major === 6 ? decided6 : decided7) as typeof decided7;
  const completed = (
    major === 6 ? completed6 : completed7
  ) as typeof completed7;
  return (held: { messages: UIMessage[] }) =>
    (when !== "completed" && when !== "never" && decided(held)) ||
    (when !== "decided" && when !== "never" && completed(held));
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
