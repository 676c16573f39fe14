import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { fronts } from "../src/chat.js";
import type { Part } from "../src/chat.js";
import { openPage } from "../src/page.js";
import type { Page } from "../src/page.js";
import { until } from "../src/wait.js";

// Pages as applications write them: React, with useChat of @ai-sdk/react 3 and 4.

let bridge: Bridge;

beforeAll(async () => {
  bridge = await startBridge({});
});

afterAll(async () => {
  await bridge.stop();
});

const agents = ["demo", "demo-aisdk"] as const;
const pairs = fronts.flatMap((front) =>
  agents.map((agent) => ({ front, agent })),
);

function approval(page: Page): string | undefined {
  const parts = (page.chat().messages.at(-1)?.parts ?? []) as Part[];
  return parts.find((part) => part.state === "approval-requested")?.approval
    ?.id;
}

async function phase(thread: string): Promise<string> {
  const response = await fetch(`${bridge.http}/v1/threads/${thread}`);
  return ((await response.json()) as { phase: string }).phase;
}

describe.each(pairs)("$front with $agent", ({ front, agent }) => {
  const open = (
    id: string,
    more: Partial<Parameters<typeof openPage>[0]> = {},
  ) => openPage({ front, base: bridge.http, agent, id, ...more });

  test("a page shows the answer as it comes", async () => {
    const page = await open(randomUUID());
    await page.chat().sendMessage({ text: "hello" });
    await until(() => page.shown() === "Hello! How can I help you?");
    await until(() => page.chat().status === "ready");
    expect(page.drawn()).toBeGreaterThan(2);
    page.unmount();
  });

  test("an approval on the page runs the call once", async () => {
    const page = await open(randomUUID());
    await page.chat().sendMessage({ text: "email" });
    await until(() => approval(page) !== undefined);
    await page
      .chat()
      .addToolApprovalResponse({ id: approval(page) ?? "", approved: true });
    await until(() => page.shown().includes("I sent the email to"));
    await until(() => page.chat().status === "ready");
    expect(page.chat().messages).toHaveLength(2);
    expect(page.shown().match(/I sent the email/g)).toHaveLength(1);
    page.unmount();
  });

  test("a page that goes away leaves its run, and the next one shows it", async () => {
    const id = randomUUID();
    const page = await open(id);
    void page
      .chat()
      .sendMessage({ text: "slow 60" })
      .catch(() => undefined);
    await until(() => page.shown().includes("word2 "));
    const asked = page.chat().messages.slice(0, 1);
    page.unmount();
    expect(await phase(id)).toBe("running");
    const next = await open(id, { resume: true, messages: asked });
    await until(() => next.shown().startsWith("word1 word2 word3 "));
    await next.chat().stop();
    next.unmount();
    await fetch(`${bridge.http}/v1/threads/${id}/cancel`, { method: "POST" });
    await until(async () => (await phase(id)) === "idle");
  });

  test("two pages show one conversation, and either may decide", async () => {
    const id = randomUUID();
    const page = await open(id);
    await page.chat().sendMessage({ text: "delete" });
    await until(() => approval(page) !== undefined);
    const other = await open(id, { messages: page.chat().messages });
    await other
      .chat()
      .addToolApprovalResponse({ id: approval(other) ?? "", approved: false });
    await until(() => other.shown().includes("You denied delete_database"));
    // The first page decides otherwise, too late.
    await page
      .chat()
      .addToolApprovalResponse({ id: approval(page) ?? "", approved: true });
    await until(() => page.chat().error !== undefined);
    expect(page.chat().error?.message).toContain("already_settled");
    page.unmount();
    other.unmount();
  });

  test("a page that is stopped goes on with what is said next", async () => {
    const id = randomUUID();
    const page = await open(id);
    void page
      .chat()
      .sendMessage({ text: "slow 600" })
      .catch(() => undefined);
    await until(() => page.shown().includes("word1 "));
    await page.chat().stop();
    await until(() => page.chat().status === "ready");
    await fetch(`${bridge.http}/v1/threads/${id}/cancel`, { method: "POST" });
    await page.chat().sendMessage({ text: "hello" });
    await until(() => page.shown() === "Hello! How can I help you?");
    page.unmount();
  });
});
