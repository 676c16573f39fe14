import * as current from "@ag-ui/client";
import type { BaseEvent, Interrupt, ResumeEntry } from "@ag-ui/client";
import * as client59 from "client-0-0-59";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { serve } from "./server.js";
import type { Server } from "./server.js";

/** What the clients of all versions have in common, as far as it is used here. */
export interface Client {
  threadId: string;
  messages: Record<string, unknown>[];
  state: unknown;
  addMessage(message: Record<string, unknown>): void;
  use(middleware: Middleware): void;
  runAgent(
    parameters: { resume?: ResumeEntry[] },
    subscriber: { onEvent: (given: { event: BaseEvent }) => void },
  ): Promise<unknown>;
}

type Input = Record<string, unknown>;
type Middleware = (
  input: Input,
  next: { run(input: Input): unknown },
) => unknown;
type HttpAgent = new (config: { url: string }) => Client;

// The build of 0.0.47 for `import` cannot apply a JSON Patch in Node: it takes a CommonJS
// package for a module. The one for `require` can, as bundlers make both do.
const client47 = createRequire(import.meta.url)("client-0-0-47") as {
  HttpAgent: unknown;
};

/** A client package in the field. */
export interface Version {
  version: string;
  HttpAgent: HttpAgent;
  /** Whether runAgent takes `resume`, and the agent keeps what is pending. */
  resumes: boolean;
}

export const versions: Version[] = [
  {
    version: "0.0.47",
    HttpAgent: client47.HttpAgent as HttpAgent,
    resumes: false,
  },
  {
    version: "0.0.59",
    HttpAgent: client59.HttpAgent as unknown as HttpAgent,
    resumes: true,
  },
  {
    version: "1.0.0",
    HttpAgent: current.HttpAgent as unknown as HttpAgent,
    resumes: true,
  },
];

/** Says something as the user, and gives the events that reached the application. */
export function tell(
  client: Client,
  content: unknown,
  watch?: (event: BaseEvent) => void,
): Promise<BaseEvent[]> {
  client.addMessage({ id: randomUUID(), role: "user", content });
  return go(client, {}, watch);
}

async function go(
  client: Client,
  parameters: { resume?: ResumeEntry[] },
  watch?: (event: BaseEvent) => void,
): Promise<BaseEvent[]> {
  const events: BaseEvent[] = [];
  await client.runAgent(parameters, {
    onEvent: ({ event }) => {
      events.push(event);
      watch?.(event);
    },
  });
  return events;
}

/** Approves what the events ask, by whatever means the client has. */
export function approve(
  { resumes }: Version,
  client: Client,
  events: BaseEvent[],
): Promise<BaseEvent[]> {
  const resume = asked(events).map(({ id }) => ({
    interruptId: id,
    status: "resolved" as const,
    payload: { approved: true },
  }));
  if (resumes) {
    return go(client, { resume });
  }
  // 0.0.47 shows the outcome to the application but has nothing to answer it with. A
  // middleware can put the answer into the input.
  client.use((input, next) => next.run({ ...input, resume }));
  return go(client, {});
}

/** The interrupts that the last event asks, as the application sees them. */
export function asked(events: BaseEvent[]): Interrupt[] {
  const last = events.at(-1) as {
    outcome?: { type: string; interrupts?: Interrupt[] };
  };
  return last.outcome?.type === "interrupt"
    ? (last.outcome.interrupts ?? [])
    : [];
}

/** An agent that answers everything with the same events. */
export interface Player extends Server {
  inputs: { messages: { content?: unknown }[] }[];
}

const folder = new URL(
  "../../protocol/agui/testdata/downgrade/",
  import.meta.url,
);

/** The streams that old clients get, by the rule that each is named after. */
export const downgraded = readdirSync(folder).filter((name) =>
  name.endsWith(".out.jsonl"),
);

/** Plays a stream, in the names of whatever run is asked. */
export async function startPlayer(name: string): Promise<Player> {
  const events = readFileSync(new URL(name, folder), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const inputs: Player["inputs"] = [];
  const server = await serve((body, response) => {
    const input = JSON.parse(body) as Player["inputs"][number] & {
      threadId: string;
      runId: string;
    };
    inputs.push(input);
    const { threadId, runId } = input;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const named = "threadId" in event ? { ...event, threadId, runId } : event;
      response.write(`data: ${JSON.stringify(named)}\n\n`);
    }
    response.end();
  });
  return { ...server, inputs };
}
