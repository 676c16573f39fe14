import type { UIMessage } from "ai";

import { kinds, startAISDKAgent } from "./aisdk-agent.js";
import type { AISDKAgent, Kind } from "./aisdk-agent.js";
import { kits, majors } from "./aisdk-kit.js";
import type { Major } from "./aisdk-kit.js";
import { startBridge } from "./bridge.js";
import type { Bridge } from "./bridge.js";

/** Every agent there is, of both majors and all kinds, behind one bridge. */
export interface Fleet {
  bridge: Bridge;
  agent(name: string): AISDKAgent;
  stop(): Promise<void>;
}

export const nameOf = (major: Major, kind: Kind) =>
  `ai${String(major)}-${kind.toLowerCase()}`;

/** What describe.each takes: a name for people, the agent's name, its major and kind. */
export const fleet = majors.flatMap((major) =>
  kinds.map(
    (kind) =>
      [
        `ai ${String(major)}, ${kind}`,
        nameOf(major, kind),
        major,
        kind,
      ] as const,
  ),
);

export async function startFleet(secret?: string): Promise<Fleet> {
  const agents = new Map<string, AISDKAgent>();
  for (const [, name, major, kind] of fleet) {
    agents.set(
      name,
      await startAISDKAgent({
        major,
        kind,
        ...(secret === undefined ? {} : { secret }),
      }),
    );
  }
  const bridge = await startBridge({
    AGUI_BRIDGE_AGENTS: [...agents]
      .map(([name, { url }]) => `${name}=aisdk+${url}`)
      .join(","),
  });
  return {
    bridge,
    agent: (name) => {
      const agent = agents.get(name);
      if (agent === undefined) {
        throw new Error(`there is no agent ${name}`);
      }
      return agent;
    },
    stop: async () => {
      await bridge.stop();
      await Promise.all([...agents.values()].map((agent) => agent.close()));
    },
  };
}

type Part = UIMessage["parts"][number];

/** A part of a tool call, with all that any state may have. */
export type ToolPart = Part & {
  toolCallId: string;
  state: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
  approval?: Record<string, unknown> & { id: string };
  callProviderMetadata?: unknown;
};

export function toolParts(message: UIMessage | undefined): ToolPart[] {
  return (message?.parts ?? []).filter(
    ({ type }) => type.startsWith("tool-") || type === "dynamic-tool",
  ) as ToolPart[];
}

/** The message that the agent was posted last of all. */
export function posted(agent: AISDKAgent): UIMessage {
  const message = agent.requests.at(-1)?.messages.at(-1);
  if (message === undefined) {
    throw new Error("the agent was posted no message");
  }
  return message;
}

/**
 * What the package's own chat holds after the chunks that the agent sent: all of them, or
 * those from an index on, which go on with a message.
 */
export async function held(
  agent: AISDKAgent,
  from = 0,
  before?: UIMessage,
): Promise<UIMessage> {
  const chunks = structuredClone(agent.sent.slice(from));
  let message: UIMessage | undefined;
  for await (const state of kits[agent.major].sdk.readUIMessageStream({
    ...(before === undefined ? {} : { message: structuredClone(before) }),
    stream: new ReadableStream({
      start(controller) {
        chunks.forEach((chunk) => {
          controller.enqueue(chunk);
        });
        controller.close();
      },
    }),
  })) {
    message = state;
  }
  if (message === undefined) {
    throw new Error("the agent sent no message");
  }
  return message;
}

export type Decision = { approved: boolean; reason?: string };

/** The message as a chat posts it after a person decided, call by call in order. */
export function decided(message: UIMessage, decisions: Decision[]): UIMessage {
  const answers = [...decisions];
  const parts = message.parts.map((part) => {
    const tool = part as ToolPart;
    if (tool.state !== "approval-requested") {
      return part;
    }
    return {
      ...tool,
      state: "approval-responded",
      approval: { ...tool.approval, ...answers.shift() },
    } as Part;
  });
  return { ...message, parts };
}
