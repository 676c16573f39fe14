import { expect, test, vi } from "vitest";

import type { Major } from "../aisdk-differential/case.js";
import { vectors, vectorsFile } from "../src/aisdk-vectors.js";

// The Go tests hold the bridge to these files. `npm run aisdk-vectors` writes them anew.
test.each<Major>([6, 7])(
  "the committed vectors are what ai %i makes today",
  async (major) => {
    const quiet = [
      vi.spyOn(console, "warn").mockReturnValue(undefined),
      vi.spyOn(console, "error").mockReturnValue(undefined),
      vi.spyOn(console, "info").mockReturnValue(undefined),
    ];
    try {
      await expect(await vectors(major)).toMatchFileSnapshot(
        vectorsFile(major),
      );
    } finally {
      for (const spy of quiet) spy.mockRestore();
    }
  },
  60_000,
);
