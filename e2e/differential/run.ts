import { createWriteStream, mkdirSync } from "node:fs";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

import type { Case, Result } from "./case.js";
import { generate } from "./generate.js";
import { hung } from "./reference.js";
import type { Ask } from "./worker.js";

/** How long one case may take, in milliseconds. */
const patience = 10_000;

/** One of the workers, which has one case at a time. */
class Lane {
  private worker: Worker;
  private asked: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly seed: number,
    private readonly take: () => number | undefined,
    private readonly give: (number: number, line: string) => void,
    private readonly fail: (error: Error) => void,
  ) {
    this.worker = this.start();
    this.next();
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    worker.on("error", this.fail);
    worker.on("message", (line: string) => {
      if (worker === this.worker) this.answered(line);
    });
    return worker;
  }

  private next(): void {
    clearTimeout(this.timer);
    this.asked = this.take();
    if (this.asked === undefined) {
      void this.worker.terminate();
      return;
    }
    const ask: Ask = { seed: this.seed, number: this.asked };
    this.worker.postMessage(ask);
    this.timer = setTimeout(() => {
      this.giveUp();
    }, patience);
  }

  private answered(line: string): void {
    if (this.asked !== undefined) this.give(this.asked, line);
    this.next();
  }

  /** A case that has hung is given up, with its worker. */
  private giveUp(): void {
    if (this.asked === undefined) return;
    void this.worker.terminate();
    this.worker = this.start();
    const c = generate(this.seed, this.asked);
    this.answered(JSON.stringify({ case: c, result: hung(c) }));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "10000" },
      seed: { type: "string", default: "1" },
      out: { type: "string" },
    },
  });
  const count = Number(values.count);
  const seed = Number(values.seed);
  if (values.out === undefined || !(count > 0) || !Number.isInteger(seed)) {
    throw new Error("usage: --count N --seed N --out DIR");
  }
  mkdirSync(values.out, { recursive: true });
  const file = createWriteStream(join(values.out, "cases.jsonl"));
  const started = performance.now();
  const verdicts = new Map<string, number>();
  await new Promise<void>((resolve, reject) => {
    let taken = 0;
    let written = 0;
    const early = new Map<number, string>();
    const give = (number: number, line: string) => {
      early.set(number, line);
      for (
        let next = early.get(written);
        next !== undefined;
        next = early.get(written)
      ) {
        early.delete(written++);
        const { verdict } = (JSON.parse(next) as { case: Case; result: Result })
          .result;
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        file.write(next + "\n");
      }
      if (written === count) resolve();
    };
    const take = () => (taken < count ? taken++ : undefined);
    for (let i = availableParallelism(); i > 0; i--)
      new Lane(seed, take, give, reject);
  });
  file.end();
  await once(file, "finish");
  const took = ((performance.now() - started) / 1000).toFixed(1);
  const said = [...verdicts]
    .map(([verdict, n]) => `${String(n)} ${verdict}`)
    .join(", ");
  console.log(`${String(count)} cases in ${took} s: ${said}`);
}

await main();
