import type { ServerResponse } from "node:http";

import { serve } from "./server.js";
import type { Server } from "./server.js";

/** What a raw agent sends: a string is one event's data, the rest is as it says. */
export type Step =
  | string
  | { bytes: string }
  | { cut: true }
  | { wait: number };

/**
 * An agent that sends what the packages never do, by hand. The first word of the path
 * picks the answer, so that one server plays many broken agents.
 */
export function startRawAgent(
  answers: Record<string, Step[]>,
): Promise<Server> {
  return serve(async (_, response, request) => {
    const name = (request.url ?? "").slice(1);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "x-vercel-ai-ui-message-stream": "v1",
    });
    for (const step of answers[name] ?? []) {
      if (!(await take(step, response))) {
        return;
      }
    }
    response.end();
  });
}

async function take(step: Step, response: ServerResponse): Promise<boolean> {
  if (typeof step === "string") {
    response.write(`data: ${step}\n\n`);
  } else if ("bytes" in step) {
    response.write(step.bytes);
  } else if ("wait" in step) {
    await new Promise((resolve) => setTimeout(resolve, step.wait));
  } else {
    // What was written must be under way before the connection breaks.
    await new Promise((resolve) => setTimeout(resolve, 30));
    response.destroy();
    return false;
  }
  return true;
}
