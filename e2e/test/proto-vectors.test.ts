import { expect, test, vi } from "vitest";

import { generate, vectorsFile } from "../src/proto-vectors.js";

// The Go tests hold the bridge to this file. `npm run proto-vectors` writes it anew.
test("the committed vectors are what @ag-ui/proto makes today", async () => {
  // It says on the console which of the odd ones it takes without validation.
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  try {
    await expect(generate()).toMatchFileSnapshot(vectorsFile);
  } finally {
    warn.mockRestore();
  }
});
