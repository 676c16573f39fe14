import type { Json, JsonObject } from "../differential/case.js";
import { object, Random, text, value } from "../differential/random.js";
import type { Case, Major } from "./case.js";
import { mutate } from "./mutate.js";
import { optional, providers, StreamWriter } from "./stream.js";

const states = [
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
] as const;

function toolPart(r: Random, n: number): JsonObject {
  const state = r.pick(states);
  const dynamic = r.chance(30);
  const part: JsonObject = {
    type: dynamic ? "dynamic-tool" : "tool-send",
    ...(dynamic ? { toolName: "send" } : {}),
    toolCallId: `old-${String(n)}`,
    state,
    ...optional(r, 20, () => ({ title: text(r) })),
    ...optional(r, 20, () => ({ providerExecuted: r.chance(50) })),
    ...optional(r, 20, () => ({ callProviderMetadata: providers(r) })),
    ...optional(r, 20, () => ({ toolMetadata: object(r, 1) })),
  };
  if (state === "input-streaming") {
    return {
      ...part,
      ...optional(r, 70, () => ({ rawInput: '{"q":[1,"x', input: { q: 1 } })),
      ...optional(r, 20, () => ({ inputEncoding: r.pick(["json", "text"]) })),
    };
  }
  part.input = value(r, 2);
  if (state === "output-available") part.output = value(r, 2);
  if (state === "output-error") {
    part.errorText = text(r);
    if (r.chance(30)) part.rawInput = value(r, 1);
  }
  if (state.startsWith("approval") || state === "output-denied") {
    part.approval = {
      id: `old-approval-${String(n)}`,
      ...(state === "approval-requested"
        ? {}
        : { approved: state !== "output-denied" }),
      ...optional(r, 30, () => ({ signature: "s" })),
      ...optional(r, 20, () => ({ future: 1 })),
    };
  }
  return part;
}

/** A message that an answer goes on with. */
function message(r: Random): JsonObject {
  const parts: Json[] = [];
  for (let i = r.below(5); i > 0; i--) {
    if (r.chance(30)) parts.push({ type: "step-start" });
    parts.push(
      r.chance(60)
        ? toolPart(r, i)
        : r.pick<JsonObject>([
            { type: "text", text: "before", state: "done" },
            { type: "data-weather", id: "d-1", data: 1 },
            { type: "future-part", x: [1, null] },
          ]),
    );
  }
  return {
    id: r.chance(50) ? "msg-1" : "msg-0",
    role: "assistant",
    ...optional(r, 40, () => ({ metadata: object(r, 2) })),
    parts,
  };
}

/** The case of that number: always the same for the same seed. */
export function generate(seed: number, number: number, major: Major): Case {
  const r = new Random(seed * 10 + major, number);
  const given = r.chance(25) ? message(r) : undefined;
  const writer = new StreamWriter(r, major, given);
  writer.write(r.chance(1) ? 60 : r.pick([1, 3, 5, 8, 8, 12, 18]));
  const c: Case = {
    id: `v${String(major)}-${String(seed)}-${String(number)}`,
    major,
    ...(given === undefined ? {} : { message: given }),
    lines: [],
    kinds: ["valid"],
  };
  const chunks: Json[] = writer.chunks;
  if (r.chance(55)) mutate(r, c, chunks);
  c.lines.push(...chunks.map((chunk) => JSON.stringify(chunk)));
  return c;
}
