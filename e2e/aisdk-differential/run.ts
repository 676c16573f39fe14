import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

import type { Major } from "./case.js";
import type { Answer, Ask } from "./worker.js";

/** Runs all cases of one major, spread over so many workers. */
async function runAll(
  ask: Omit<Ask, "first" | "step">,
  workers: number,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const all = Array.from({ length: workers }, async (_, first) => {
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    worker.on("message", (answer: Answer) => {
      answers[answer.number] = answer;
    });
    worker.postMessage({ ...ask, first, step: workers } satisfies Ask);
    await once(worker, "exit");
  });
  await Promise.all(all);
  return answers;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "3000" },
      seed: { type: "string", default: "1" },
      out: { type: "string" },
    },
  });
  const count = Number(values.count);
  const seed = Number(values.seed);
  const out = values.out;
  if (out === undefined || !(count > 0) || !Number.isInteger(seed)) {
    throw new Error("usage: --count N --seed N --out DIR");
  }
  mkdirSync(out, { recursive: true });
  const workers = Math.max(1, Math.floor(availableParallelism() / 2));
  const majors: Major[] = [6, 7];
  await Promise.all(
    majors.map(async (major) => {
      const started = performance.now();
      const answers = await runAll({ seed, major, count }, workers);
      const verdicts = new Map<string, number>();
      for (const { verdict } of answers) {
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      }
      writeFileSync(
        join(out, `v${String(major)}.jsonl`),
        answers.map(({ line }) => line + "\n").join(""),
      );
      const took = ((performance.now() - started) / 1000).toFixed(1);
      const said = [...verdicts]
        .map(([verdict, n]) => `${String(n)} ${verdict}`)
        .join(", ");
      console.log(
        `ai ${String(major)}: ${String(count)} cases in ${took} s: ${said}`,
      );
    }),
  );
}

await main();
