import { parentPort } from "node:worker_threads";

import type { Major } from "./case.js";
import { generate } from "./generate.js";
import { run } from "./reference.js";

/** What a worker is asked for: so many cases, each so far from the one before. */
export interface Ask {
  seed: number;
  major: Major;
  first: number;
  step: number;
  count: number;
}

/** One case, with what the package made of it. */
export interface Answer {
  number: number;
  verdict: string;
  line: string;
}

/** How many cases are under way at a time. */
const lanes = 32;

const port = parentPort;
if (port === null) throw new Error("not a worker");

// Of old parts it warns on the console.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

async function work({ seed, major, first, step, count }: Ask): Promise<void> {
  let next = first;
  const lane = async () => {
    while (next < count) {
      const number = next;
      next += step;
      const c = generate(seed, number, major);
      const result = await run(c);
      const answer: Answer = {
        number,
        verdict: result.error ?? "completed",
        line: JSON.stringify({ case: c, result }),
      };
      port?.postMessage(answer);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  port?.close();
}

port.once("message", (ask: Ask) => {
  void work(ask);
});
