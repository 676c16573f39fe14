import { serve } from "./server.js";
import type { Server } from "./server.js";

export type Protocol = "agui" | "aisdk";

/** What is sent: an event or chunk, or the end of the connection. */
export type Line = object | "cut";

/** What the agent was sent, as far as scripts look at it. */
export interface Asked {
  /** The text of the newest message of the user. */
  said: string;
  /** Whether it goes on with something: a decision, or a result. */
  goesOn: boolean;
  messages: { role: string; parts?: unknown[] }[];
}

interface Body {
  threadId?: string;
  runId?: string;
  resume?: unknown[];
  messages: { role: string; content?: string; parts?: { text?: string }[] }[];
}

/**
 * An agent of either protocol that says what a script tells it to, by hand: the packages
 * never end an answer in most of the ways that agents in the field do. Of AG-UI, the begin
 * and the end of the run are said around the script, unless it ends with an event of its
 * own that begins with RUN_.
 */
export function startScriptedAgent(
  protocol: Protocol,
  script: (asked: Asked) => Line[] | Promise<Line[]>,
): Promise<Server> {
  return serve(async (text, response) => {
    const body = JSON.parse(text) as Body;
    const ids = { threadId: body.threadId, runId: body.runId };
    const user = body.messages.findLast(({ role }) => role === "user");
    const lines = await script({
      said: user?.content ?? user?.parts?.[0]?.text ?? "",
      goesOn:
        (body.resume ?? []).length > 0 || body.messages.at(-1)?.role !== "user",
      messages: body.messages,
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (protocol === "agui") {
      const last = lines.at(-1);
      const ends =
        last === "cut" ||
        (last as { type?: string } | undefined)?.type?.startsWith("RUN_");
      lines.unshift({ type: "RUN_STARTED", ...ids });
      if (ends !== true) {
        lines.push({ type: "RUN_FINISHED", outcome: { type: "success" } });
      }
    }
    for (const line of lines) {
      if (line === "cut") {
        // What was written must be under way before the connection breaks.
        await new Promise((resolve) => setTimeout(resolve, 30));
        response.destroy();
        return;
      }
      const named =
        (line as { type?: string }).type === "RUN_FINISHED"
          ? { ...ids, ...line }
          : line;
      response.write(`data: ${JSON.stringify(named)}\n\n`);
    }
    response.end();
  });
}
