import { parentPort } from "node:worker_threads";

import { generate } from "./generate.js";
import { run } from "./reference.js";

/** What a worker is asked for, and what it says. */
export interface Ask {
  seed: number;
  number: number;
}

const port = parentPort;
if (port === null) throw new Error("not a worker");

process.on("unhandledRejection", (reason) => {
  throw reason;
});

port.on("message", ({ seed, number }: Ask) => {
  const c = generate(seed, number);
  void run(c).then((result) => {
    port.postMessage(JSON.stringify({ case: c, result }));
  });
});
