import { describe, expect, test } from "vitest";

import type { Case, Major, Result } from "../aisdk-differential/case.js";
import { generate } from "../aisdk-differential/generate.js";
import { mutationNames } from "../aisdk-differential/mutate.js";
import { run } from "../aisdk-differential/reference.js";

const count = 250;

/** The chunk types that ai 7 alone knows. */
const newer = [
  "tool-approval-response",
  "reset-step",
  "custom",
  "reasoning-file",
  "steering-message",
];

const types = [
  ...["start", "finish", "abort", "error", "message-metadata"],
  ...["start-step", "finish-step", "text-start", "text-delta", "text-end"],
  ...["reasoning-start", "reasoning-delta", "reasoning-end"],
  ...["tool-input-start", "tool-input-delta", "tool-input-available"],
  ...["tool-input-error", "tool-approval-request", "tool-output-available"],
  ...["tool-output-error", "tool-output-denied", "source-url", "file"],
  ...["source-document", "data-weather"],
];

describe.each<Major>([6, 7])("generated streams for ai %i", (major) => {
  const cases = Array.from({ length: count }, (_, n) => generate(1, n, major));

  test("are the same for the same seed", () => {
    const again = Array.from({ length: count }, (_, n) =>
      generate(1, n, major),
    );
    expect(again).toEqual(cases);
    expect(generate(2, 0, major).lines).not.toEqual(cases[0]?.lines);
  });

  test("hold every mutation and every chunk type", () => {
    const kinds = new Set(cases.flatMap((c) => c.kinds));
    expect(
      ["valid", ...mutationNames].filter((kind) => !kinds.has(kind)),
    ).toEqual([]);
    const text = cases.flatMap((c) => c.lines).join("\n");
    const wanted = major === 7 ? [...types, ...newer] : types;
    expect(wanted.filter((type) => !text.includes(`"type":"${type}"`))).toEqual(
      [],
    );
  });

  test("are read by the package, and are what they are said to be", async () => {
    const results: Result[] = [];
    for (const c of cases) results.push(await run(c));
    const completed = results.filter((r) => r.error === undefined);
    expect(completed.length).toBeGreaterThan(count * 0.5);
    expect(completed.length).toBeLessThan(count * 0.9);

    // No chunk of a stream that was not mutated is one that the package does not know.
    const wrong = results.filter(
      (r, n) =>
        cases[n]?.kinds[0] === "valid" &&
        r.error !== undefined &&
        r.error !== "TypeError",
    );
    expect(wrong.map((r) => r.says)).toEqual([]);

    // Nothing leaks from one into the next: alone, each gives the same.
    for (const n of [0, 7, count - 1]) {
      expect(await run(cases[n] as Case)).toEqual(results[n]);
    }
  }, 60_000);
});
