import type { Case, Json, JsonObject } from "./case.js";
import { inputExtras, message, roles } from "./material.js";
import { mutate } from "./mutate.js";
import { object, Random, some } from "./random.js";
import { StreamWriter } from "./stream.js";

function input(r: Random): JsonObject {
  const messages: Json[] = [];
  for (let i = r.below(5); i > 0; i--) {
    const n = String(i);
    const calls = r.chance(30) ? [`old-call-${n}`] : [];
    const m = message(r, r.pick(roles), `old-${n}`, calls);
    if (r.chance(8)) m.subagentRunId = "sub-old";
    messages.push(m);
  }
  return {
    threadId: "thread-1",
    runId: "run-1",
    messages,
    ...(r.chance(85)
      ? { state: r.chance(60) ? object(r, 3) : some(r, 3) }
      : {}),
    ...inputExtras(r),
  };
}

/** The case of that number: always the same for the same seed. */
export function generate(seed: number, number: number): Case {
  const r = new Random(seed, number);
  const c: Case = {
    id: `${String(seed)}-${String(number)}`,
    input: input(r),
    stream: [],
    kinds: ["valid"],
  };
  const writer = new StreamWriter(r, c.input);
  const runs = r.pick([1, 1, 1, 1, 1, 2, 2, 3]);
  for (let run = 1; run <= runs; run++) {
    const length = r.chance(2) ? 100 : r.pick([0, 3, 5, 10, 10, 20, 30]);
    writer.run(length, `run-${String(run)}`, run === runs);
  }
  c.stream = writer.events;
  if (r.chance(58)) mutate(r, c);
  // What is given out is what the text of it says.
  return JSON.parse(JSON.stringify(c)) as Case;
}
