import type { ToolSet } from "ai";
import { z } from "zod";

import type { Kit } from "./aisdk-kit.js";
import { outcomeOf } from "./scenario.js";

/** A tool that ran, and what with. */
export interface Execution {
  tool: string;
  input: unknown;
}

const email = z.object({
  to: z.string(),
  subject: z.string(),
  body: z.string(),
});

/** The tools of the agents, one of each kind that the AI SDK has. */
export function tools(kit: Kit, executed: Execution[]): ToolSet {
  const { tool, dynamicTool } = kit.sdk;
  const run = (name: string) => (input: unknown) => {
    executed.push({ tool: name, input });
    return outcomeOf(name, input);
  };
  return {
    send_email: tool({
      description: "Sends an email.",
      inputSchema: email,
      needsApproval: true,
      execute: run("send_email"),
    }),
    // Whether it asks depends on the input, as a function decides.
    delete_database: tool({
      description: "Deletes a database.",
      inputSchema: z.object({ name: z.string() }),
      needsApproval: ({ name }: { name: string }) => name !== "scratch",
      execute: run("delete_database"),
    }),
    // What the schema makes of the input is not what the model wrote: both travel.
    write_note: tool({
      description: "Writes a note.",
      inputSchema: z.object({
        text: z.string().transform((text) => text.trim().toLowerCase()),
      }),
      needsApproval: true,
      execute: run("write_note"),
    }),
    look_up: tool({
      description: "Looks something up.",
      inputSchema: z.object({ topic: z.string() }),
      needsApproval: () => false,
      execute: run("look_up"),
    }),
    format_disk: tool({
      description: "Is never allowed.",
      inputSchema: z.object({ disk: z.string() }),
      needsApproval: true,
      execute: run("format_disk"),
    }),
    import_data: tool({
      description: "Imports rows, and shows how far it is.",
      inputSchema: z.object({ rows: z.number() }),
      async *execute({ rows }) {
        executed.push({ tool: "import_data", input: { rows } });
        for (let row = 1; row <= rows; row++) {
          yield { status: "importing", row };
          await Promise.resolve();
        }
        yield { status: "done", rows };
      },
    }),
    migrate_data: tool({
      description: "Shows how far it is, once it may begin.",
      inputSchema: z.object({ rows: z.number() }),
      needsApproval: true,
      async *execute({ rows }) {
        executed.push({ tool: "migrate_data", input: { rows } });
        for (let row = 1; row <= rows; row++) {
          yield { status: "migrating", row };
          await Promise.resolve();
        }
      },
    }),
    risky_tool: tool({
      description: "May run, and does not work.",
      inputSchema: z.object({}),
      needsApproval: true,
      execute: (): string => {
        executed.push({ tool: "risky_tool", input: {} });
        throw new Error("it went wrong");
      },
    }),
    // A tool that is known only at run time, such as one of an MCP server.
    from_elsewhere: dynamicTool({
      description: "Comes from elsewhere.",
      title: "From elsewhere",
      inputSchema: z.unknown(),
      needsApproval: true,
      execute: run("from_elsewhere"),
    }),
    broken_tool: tool({
      description: "Does not work.",
      inputSchema: z.object({}),
      execute: (): string => {
        executed.push({ tool: "broken_tool", input: {} });
        throw new Error("the disk is full");
      },
    }),
    // Without execute, a tool is the application's to run.
    get_location: tool({
      description: "Tells where the user is.",
      inputSchema: z.object({}),
    }),
    ask_user_question: tool({
      description: "Asks the user.",
      inputSchema: z.object({ questions: z.array(z.unknown()) }),
    }),
    request_input: tool({
      description: "Shows the user a form.",
      inputSchema: z.object({
        message: z.string(),
        requestedSchema: z.unknown(),
      }),
    }),
  };
}

/**
 * What ai 7 decides about calls beside the tools themselves: it can allow and refuse on
 * its own, and says so, and it can give the reason why it asks.
 */
export const toolApproval = {
  delete_database: ({ name }: { name: string }) =>
    name === "scratch"
      ? ("not-applicable" as const)
      : {
          type: "user-approval" as const,
          reason: `Delete the database ${name}?`,
        },
  look_up: { type: "approved" as const, reason: "reads only" },
  format_disk: { type: "denied" as const, reason: "never allowed" },
};
