import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Case, Major, Result } from "../aisdk-differential/case.js";
import { generate } from "../aisdk-differential/generate.js";
import { run } from "../aisdk-differential/reference.js";
import { recordings } from "./aisdk-recordings.js";

const top = new URL("../../", import.meta.url);

/** Where the streams are that the bridge makes of AG-UI events. */
const streams = (major: Major) =>
  new URL(`testdata/chunks/v${String(major)}/`, top);

/** Where the Go tests find what a major of the package made of the cases. */
export function vectorsFile(major: Major): string {
  const name = `protocol/aisdk/testdata/vectors-v${String(major)}.jsonl`;
  return fileURLToPath(new URL(name, top));
}

/** How many generated streams there are, and their seed. */
const generated = 120;
const seed = 7;

/** What the package makes of the cases today, in the form of the committed file. */
export async function vectors(major: Major): Promise<string> {
  const cases = [
    ...readdirSync(streams(major))
      .sort()
      .map((name) => own(name, major)),
    ...(await recordings(major)),
    ...Array.from({ length: generated }, (_, n) => generate(seed, n, major)),
  ];
  let text = "";
  for (const c of cases) {
    const result: Result = await run(c);
    // What an error says is the package's own affair.
    delete result.says;
    text += `${JSON.stringify({ case: c, result })}\n`;
  }
  return text;
}

/** A stream that the bridge makes of AG-UI events. */
function own(name: string, major: Major): Case {
  const text = readFileSync(new URL(name, streams(major)), "utf8");
  return {
    id: `v${String(major)}-bridge-${name.replace(".jsonl", "")}`,
    major,
    lines: text.trim().split("\n"),
    kinds: ["recorded"],
  };
}
