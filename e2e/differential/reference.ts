import { AbstractAgent, EventType } from "@ag-ui/client";
import type { AgentConfig, BaseEvent, RunAgentParameters } from "@ag-ui/client";
import { Observable } from "rxjs";

import { clone, isObject } from "./case.js";
import type { Case, Json, JsonObject, Result } from "./case.js";

/** An agent whose stream is given: the rest of the client is as published. */
class GivenStream extends AbstractAgent {
  constructor(
    private readonly events: Json[],
    config: AgentConfig,
  ) {
    super(config);
  }

  run(): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      // One event at a time, as off a wire: the client throws away what it has not
      // yet applied when a later event is refused.
      const next = (i: number) => {
        if (subscriber.closed) return;
        if (i === this.events.length) {
          subscriber.complete();
          return;
        }
        subscriber.next(this.events[i] as unknown as BaseEvent);
        setImmediate(next, i + 1);
      };
      next(0);
    });
  }
}

/** Ids that the client makes up differ from run to run; they are numbered instead. */
const madeUp =
  /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

function numbered<T>(value: T): T {
  const seen = new Map<string, string>();
  const text = JSON.stringify(value).replace(madeUp, (id) => {
    const known = seen.get(id) ?? `made-up-${String(seen.size + 1)}`;
    seen.set(id, known);
    return known;
  });
  return JSON.parse(text) as T;
}

/** Runs a case through the published client. One at a time: the console is shared. */
export async function run(c: Case): Promise<Result> {
  const { input, stream } = clone(
    c as unknown as JsonObject,
  ) as unknown as Case;
  const delivered: Json[] = [];
  const warnings: string[] = [];
  let runError: string | undefined;
  const agent = new GivenStream(stream, {
    agentId: "reference",
    threadId: input.threadId as string,
    initialMessages: (input.messages ?? []) as unknown as NonNullable<
      AgentConfig["initialMessages"]
    >,
    ...("state" in input ? { initialState: input.state } : {}),
  });
  const console_ = { warn: console.warn, error: console.error };
  console.warn = (...said: unknown[]) => {
    warnings.push(said.map(String).join(" "));
  };
  console.error = () => undefined;
  let error: string | undefined;
  try {
    const { runId, tools, context, forwardedProps } = input;
    await agent.runAgent(
      { runId, tools, context, forwardedProps } as RunAgentParameters,
      {
        onEvent: ({ event }) => {
          delivered.push(clone(event as unknown as Json));
          if (event.type === EventType.RUN_ERROR)
            runError = (event as unknown as { message: string }).message;
        },
      },
    );
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    // What was begun when the stream was refused still comes to its end.
    await new Promise((done) => setImmediate(done));
    console.warn = console_.warn;
    console.error = console_.error;
  }
  const cyclic: string[] = [];
  const held = (name: "messages" | "state"): Json => {
    try {
      return clone(agent[name] as Json);
    } catch {
      cyclic.push(name);
      return null;
    }
  };
  const messages = held("messages");
  const state = held("state");
  return numbered({
    id: c.id,
    verdict: error === undefined ? "completed" : "failed",
    ...(error === undefined ? {} : { error }),
    delivered,
    warnings,
    ...(runError === undefined ? {} : { runError }),
    messages,
    state,
    ...(cyclic.length === 0 ? {} : { cyclic }),
  });
}

/** What is kept of a case that never came to its end. */
export function hung(c: Case): Result {
  return {
    id: c.id,
    verdict: "timeout",
    delivered: [],
    warnings: [],
    messages: [],
    state: null,
  };
}

/** The types of the events that reached the application. */
export function deliveredTypes(result: Result): string[] {
  return result.delivered.flatMap((event) =>
    isObject(event) && typeof event.type === "string" ? [event.type] : [],
  );
}
