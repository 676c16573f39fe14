import { EventType, HttpAgent } from "@ag-ui/client";
import type {
  AbstractAgent,
  BaseEvent,
  Interrupt,
  RunAgentParameters,
} from "@ag-ui/client";
import { randomUUID } from "node:crypto";

import type { Bridge } from "./bridge.js";
import { fronts, openChat } from "./chat.js";
import type { Front, Part } from "./chat.js";
import { connect, run } from "./conversation.js";

/** Every front end there is: the published clients of both protocols, on each transport. */
export const faces = ["AG-UI, WebSocket", "AG-UI, HTTP", ...fronts] as const;
export type Face = (typeof faces)[number];

export interface Decision {
  approved: boolean;
  reason?: string;
  /** Only people with an AG-UI front end can give other arguments. */
  editedArgs?: unknown;
}

/**
 * What a person can do in front of an agent and what they see, whatever front end is
 * between the two. Each of the doings waits until all is quiet again.
 */
export interface Person {
  threadId: string;
  say(text: string): Promise<void>;
  /** All that the agent said since the person said something. */
  heard(): string;
  /** What went wrong with the last thing done. */
  failed(): string | undefined;
  /** The tools whose calls wait to be allowed, in order. */
  asked(): string[];
  /** Decides all of them at once, in order. */
  decide(...decisions: Decision[]): Promise<void>;
  /** The schema of the form that waits to be filled in. */
  form(): unknown;
  /** What the question that waits asks, by its header. */
  questions(): string[];
  submit(content: unknown): Promise<void>;
  /** Says no, as far as the protocol can tell it from giving up. */
  decline(): Promise<void>;
  giveUp(): Promise<void>;
  /** Gives the result of a tool that runs in the front end. */
  give(tool: string, result: string): Promise<void>;
  /** The ids of all calls that the front end holds, in order. */
  calls(): string[];
  /** What the front end knows of the agent's reasoning. */
  reasoning(): string;
  /** Says something, and stops the run as soon as it says something. */
  interrupt(text: string): Promise<void>;
  /** Fails if a server of the front end's protocol would not take what it holds. */
  valid(): Promise<void>;
  close(): void;
}

export function meet(
  face: Face,
  bridge: Bridge,
  agent: string,
  threadId: string = randomUUID(),
): Person {
  switch (face) {
    case "AG-UI, WebSocket": {
      const client = connect(bridge.ws, agent, threadId);
      return aguiPerson(client, bridge, () => {
        client.close();
      });
    }
    case "AG-UI, HTTP":
      return aguiPerson(
        new HttpAgent({
          url: `${bridge.http}/v1/agents/${agent}/agui`,
          threadId,
        }),
        bridge,
        () => undefined,
      );
    default:
      return chatPerson(face, bridge, agent, threadId);
  }
}

/** Stops a thread for good, which a front end on HTTP cannot tell from leaving. */
async function cancel(bridge: Bridge, threadId: string): Promise<void> {
  const response = await fetch(`${bridge.http}/v1/threads/${threadId}/cancel`, {
    method: "POST",
  });
  if (!response.ok) {
    throw new Error(`cancel: ${await response.text()}`);
  }
}

const location = {
  name: "get_location",
  description: "Tells where the user is.",
  parameters: { type: "object", properties: {} },
};

function aguiPerson(
  client: AbstractAgent,
  bridge: Bridge,
  close: () => void,
): Person {
  let events: BaseEvent[] = [];
  /** What the bridge had against the run as a whole, over HTTP. */
  let rejected: string | undefined;
  const go = async (parameters: RunAgentParameters = {}) => {
    rejected = undefined;
    try {
      events = await run(client, { tools: [location], ...parameters });
    } catch (error) {
      rejected = String(error);
    }
  };
  const resume = (answers: (open: Interrupt) => object) =>
    go({
      resume: client.pendingInterrupts.map((open) => ({
        interruptId: open.id,
        ...answers(open),
      })) as NonNullable<RunAgentParameters["resume"]>,
    });
  const speak = (content: string) => {
    client.addMessage({ id: randomUUID(), role: "user", content });
    return go();
  };
  /** What was said since the user spoke. */
  const turn = () =>
    client.messages.slice(
      client.messages.findLastIndex(({ role }) => role === "user") + 1,
    );
  const calls = () =>
    turn().flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    );
  const open = () => {
    const [interrupt, ...others] = client.pendingInterrupts;
    if (interrupt === undefined || others.length > 0) {
      throw new Error(`not one form: ${JSON.stringify(others)}`);
    }
    return interrupt;
  };
  return {
    threadId: client.threadId,
    say: speak,
    heard: () =>
      turn()
        .map((m) =>
          m.role === "assistant" && typeof m.content === "string"
            ? m.content
            : "",
        )
        .join(""),
    failed: () => {
      const last = events.at(-1) as
        | (BaseEvent & { message?: string; code?: string })
        | undefined;
      return last?.type === EventType.RUN_ERROR
        ? `${last.code ?? ""}: ${last.message ?? ""}`
        : rejected;
    },
    asked: () =>
      client.pendingInterrupts
        .filter(({ reason }) => reason === "tool_call")
        .map(
          ({ toolCallId }) =>
            calls().find(({ id }) => id === toolCallId)?.function.name ?? "?",
        ),
    decide: (...decisions) => {
      const next = [...decisions];
      return resume(() => ({ status: "resolved", payload: next.shift() }));
    },
    form: () => open().responseSchema,
    questions: () =>
      Object.keys(
        (open().responseSchema as { properties: Record<string, unknown> })
          .properties,
      ),
    submit: (payload) => resume(() => ({ status: "resolved", payload })),
    decline: () => resume(() => ({ status: "cancelled" })),
    giveUp: () => resume(() => ({ status: "cancelled" })),
    give: (tool, content) => {
      const call = calls().find((each) => each.function.name === tool);
      if (call === undefined) {
        throw new Error(`no call of ${tool}`);
      }
      client.addMessage({
        id: randomUUID(),
        role: "tool",
        toolCallId: call.id,
        content,
      });
      return go();
    },
    calls: () =>
      client.messages.flatMap((message) =>
        message.role === "assistant"
          ? (message.toolCalls ?? []).map(({ id }) => id)
          : [],
      ),
    reasoning: () =>
      turn()
        .map((m) => (m.role === "reasoning" ? m.content : ""))
        .join(""),
    interrupt: async (text) => {
      const { unsubscribe } = client.subscribe({
        onTextMessageContentEvent: () => {
          client.abortRun();
        },
      });
      await speak(text);
      unsubscribe();
      if (client instanceof HttpAgent) {
        await cancel(bridge, client.threadId);
      }
    },
    valid: () => Promise.resolve(),
    close,
  };
}

function chatPerson(
  front: Front,
  bridge: Bridge,
  agent: string,
  id: string,
): Person {
  const chat = openChat({ front, base: bridge.http, agent, id });
  const open = () =>
    chat.parts().filter((p) => p.state === "approval-requested");
  const waiting = () => {
    const [part, ...others] = chat
      .parts()
      .filter((p) => p.state === "input-available");
    if (part === undefined || others.length > 0) {
      throw new Error(`not one form: ${JSON.stringify(chat.parts())}`);
    }
    return part;
  };
  /** Does something that makes the chat post, and waits for what comes of it. */
  const act = async (doing: () => Promise<void>) => {
    await doing();
    await chat.settled();
  };
  const answer = (output: unknown) =>
    act(() => chat.answer(waiting().toolCallId, output));
  const turn = () =>
    chat.messages().at(-1)?.role === "user" ? [] : chat.parts();
  return {
    threadId: chat.id,
    say: (text) => act(() => chat.say(text)),
    heard: () =>
      turn()
        .map((p) => (p.type === "text" ? p.text : ""))
        .join(""),
    failed: () => chat.error()?.message,
    asked: () => open().map(({ type }) => type.slice("tool-".length)),
    decide: (...decisions) =>
      act(async () => {
        for (const [i, part] of open().entries()) {
          const decision = decisions[i];
          await chat.decide(
            part.approval?.id,
            decision?.approved ?? false,
            decision?.reason,
          );
        }
      }),
    form: () =>
      (waiting().input as { requestedSchema: unknown }).requestedSchema,
    questions: () =>
      (waiting().input as { questions: { header: string }[] }).questions.map(
        ({ header }) => header,
      ),
    submit: (content) => answer({ action: "accept", content }),
    decline: () => answer({ action: "decline" }),
    giveUp: () => answer({ action: "cancel" }),
    give: (tool, result) =>
      act(() => chat.answer(chat.tool(tool).toolCallId, result)),
    calls: () =>
      chat
        .messages()
        .flatMap(({ parts }) => parts as Part[])
        .flatMap(({ toolCallId }) => toolCallId ?? []),
    reasoning: () =>
      turn()
        .map((p) => (p.type === "reasoning" ? p.text : ""))
        .join(""),
    interrupt: async (text) => {
      const said = chat.say(text);
      while (!turn().some((p) => p.type === "text")) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await chat.stop();
      await said;
      await chat.settled();
      if (front !== "ai 7, WebSocket") {
        await cancel(bridge, chat.id);
      }
    },
    valid: () => chat.valid(),
    close: () => {
      chat.close();
    },
  };
}
