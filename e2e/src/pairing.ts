import { startAGUIAgent } from "./agui-agent.js";
import { kinds, startAISDKAgent } from "./aisdk-agent.js";
import { nameOf } from "./aisdk-fleet.js";
import { majors } from "./aisdk-kit.js";
import type { Execution } from "./aisdk-tools.js";
import { startBridge } from "./bridge.js";
import type { Bridge } from "./bridge.js";
import type { Face } from "./person.js";

type Protocol = "AG-UI" | "AI SDK";

/** An agent behind the bridge, and what is known of it. */
export interface Behind {
  name: string;
  protocol: Protocol;
  /** Whether it takes other arguments than those that it proposed. */
  edits: boolean;
  /** What was executed since it was last asked, undefined for agents inside the bridge. */
  executed(): Execution[] | undefined;
  /** What went wrong inside it. */
  errors(): unknown[];
  clear(): void;
}

export interface World {
  bridge: Bridge;
  behind(name: string): Behind;
  stop(): Promise<void>;
}

/** The names of all agents: the demo agents, and those written with the real packages. */
export const behind: readonly string[] = [
  "demo",
  "demo-aisdk",
  "agui",
  ...majors.flatMap((major) => kinds.map((kind) => nameOf(major, kind))),
];

/** reusesIds: the agents name the calls of every turn alike, as some providers do. */
export async function startWorld(
  options: { reusesIds?: boolean } = {},
): Promise<World> {
  const bare = {
    executed: () => undefined,
    errors: () => [],
    clear: () => undefined,
  };
  const all: Behind[] = [
    { name: "demo", protocol: "AG-UI", edits: true, ...bare },
    { name: "demo-aisdk", protocol: "AI SDK", edits: false, ...bare },
  ];
  const closing: (() => Promise<void>)[] = [];
  const urls = ["demo=builtin:demo", "demo-aisdk=builtin:demo-aisdk"];
  const agui = await startAGUIAgent(options);
  closing.push(() => agui.close());
  urls.push(`agui=agui+${agui.url}`);
  all.push({
    name: "agui",
    protocol: "AG-UI",
    edits: true,
    executed: () => agui.executed,
    errors: () => [],
    clear: () => {
      agui.clear();
    },
  });
  for (const major of majors) {
    for (const kind of kinds) {
      const agent = await startAISDKAgent({ major, kind, ...options });
      const name = nameOf(major, kind);
      closing.push(() => agent.close());
      urls.push(`${name}=aisdk+${agent.url}`);
      all.push({
        name,
        protocol: "AI SDK",
        edits: false,
        executed: () => agent.executed,
        errors: () => agent.errors,
        clear: () => {
          agent.clear();
        },
      });
    }
  }
  const bridge = await startBridge({ AGUI_BRIDGE_AGENTS: urls.join(",") });
  return {
    bridge,
    behind: (name) => {
      const found = all.find((each) => each.name === name);
      if (found === undefined) {
        throw new Error(`there is no agent ${name}`);
      }
      return found;
    },
    stop: async () => {
      await bridge.stop();
      await Promise.all(closing.map((close) => close()));
    },
  };
}

/** What became of a scenario with each pair of front end and agent. */
export class Results {
  private readonly cells = new Map<string, { passed: number; all: number }>();
  private readonly rows = new Set<string>();
  private readonly columns = new Set<string>();

  add(scenario: string, face: Face, protocol: Protocol, passed: boolean): void {
    const [front, transport] = face.split(", ");
    const column = `${front === "AG-UI" ? "AG-UI" : "AI SDK"} > ${protocol}, ${transport ?? ""}`;
    this.rows.add(scenario);
    this.columns.add(column);
    const key = `${scenario}\n${column}`;
    const cell = this.cells.get(key) ?? { passed: 0, all: 0 };
    cell.all++;
    cell.passed += passed ? 1 : 0;
    this.cells.set(key, cell);
  }

  /** A table: a row for each scenario, a column for each pairing and transport. */
  table(): string {
    const columns = [...this.columns].sort();
    const first = Math.max(...[...this.rows].map((row) => row.length));
    const line = (head: string, cells: string[]) =>
      `${head.padEnd(first)} | ${cells.join(" | ")}`;
    return [
      "front end > agent, transport of the front end: passed/all",
      "",
      line("", columns),
      line(
        "-".repeat(first),
        columns.map((c) => "-".repeat(c.length)),
      ),
      ...[...this.rows].map((row) =>
        line(
          row,
          columns.map((column) => {
            const cell = this.cells.get(`${row}\n${column}`);
            return (
              cell === undefined
                ? "-"
                : `${String(cell.passed)}/${String(cell.all)}`
            ).padEnd(column.length);
          }),
        ),
      ),
    ].join("\n");
  }
}
