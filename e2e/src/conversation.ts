import { EventType } from "@ag-ui/client";
import type {
  AbstractAgent,
  BaseEvent,
  Interrupt,
  RunAgentParameters,
} from "@ag-ui/client";
import { WebSocketAgent } from "@agui-bridge/client";
import type { WebSocketConstructor } from "@agui-bridge/client";
import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

export const nodeWebSocket = WebSocket as unknown as WebSocketConstructor;

/** An agent of the published client package, over a WebSocket to the bridge. */
export function connect(
  wsBase: string,
  name: string,
  threadId: string = randomUUID(),
): WebSocketAgent {
  return new WebSocketAgent({
    url: `${wsBase}/v1/agents/${name}/agui`,
    threadId,
    WebSocket: nodeWebSocket,
  });
}

/** Runs the agent and gives every event that reached the application. */
export async function run(
  agent: AbstractAgent,
  parameters: RunAgentParameters = {},
): Promise<BaseEvent[]> {
  const events: BaseEvent[] = [];
  await agent.runAgent(parameters, {
    onEvent: ({ event }) => {
      events.push(event);
    },
  });
  return events;
}

/** Says something as the user, and runs. */
export function say(agent: AbstractAgent, text: string): Promise<BaseEvent[]> {
  agent.addMessage({ id: randomUUID(), role: "user", content: text });
  return run(agent);
}

/** Answers the only open interrupt. */
export function answer(
  agent: AbstractAgent,
  payload: unknown,
  runId?: string,
): Promise<BaseEvent[]> {
  const interrupt = only(agent.pendingInterrupts);
  return run(agent, {
    ...(runId === undefined ? {} : { runId }),
    resume: [{ interruptId: interrupt.id, status: "resolved", payload }],
  });
}

export function only(interrupts: Interrupt[]): Interrupt {
  const [interrupt, ...others] = interrupts;
  if (interrupt === undefined || others.length > 0) {
    throw new Error(
      `expected one open interrupt, got ${String(interrupts.length)}`,
    );
  }
  return interrupt;
}

export function types(events: BaseEvent[]): string[] {
  return events.map((event) => event.type);
}

/** The text of all messages that the events stream. */
export function text(events: BaseEvent[]): string {
  return events
    .filter((event) => event.type === EventType.TEXT_MESSAGE_CONTENT)
    .map((event) => (event as BaseEvent & { delta: string }).delta)
    .join("");
}

export function results(
  events: BaseEvent[],
): (BaseEvent & { toolCallId: string; content: string })[] {
  return events.filter(
    (event) => event.type === EventType.TOOL_CALL_RESULT,
  ) as (BaseEvent & {
    toolCallId: string;
    content: string;
  })[];
}
