import { HttpAgent } from "@ag-ui/client";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { answer, only, say, text } from "../src/conversation.js";

let folder: string;
let bridge: Bridge;

const start = () =>
  startBridge({ AGUI_BRIDGE_STORE: "embedded", AGUI_BRIDGE_DATA_DIR: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agui-bridge-"));
  bridge = await start();
});

afterAll(async () => {
  await bridge.stop();
  await rm(folder, { recursive: true });
});

/** Asks for a run that will be broken off. */
function begin(
  name: string,
  threadId: string,
  runId: string,
  content: string,
): void {
  fetch(`${bridge.http}/v1/agents/${name}/agui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      threadId,
      runId,
      messages: [{ id: randomUUID(), role: "user", content }],
    }),
  })
    .then((response) => response.text())
    .catch(() => undefined);
}

interface View {
  phase: string;
  queued: number;
  pending: { id: string }[];
  journal: { requestId: string }[];
}

const view = async (threadId: string) =>
  (await (await fetch(`${bridge.http}/v1/threads/${threadId}`)).json()) as View;

async function until(
  threadId: string,
  ok: (v: View) => boolean,
): Promise<View> {
  for (;;) {
    const now = await view(threadId);
    if (ok(now)) {
      return now;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test.each(["demo", "demo-aisdk"])(
  "%s: what is asked and what waits outlives a killed process",
  async (name) => {
    const threadId = randomUUID();
    const first = new HttpAgent({
      url: `${bridge.http}/v1/agents/${name}/agui`,
      threadId,
    });
    await say(first, "email");
    const { id } = only(first.pendingInterrupts);
    // Somebody else says something meanwhile; it waits for the answer.
    begin(name, threadId, randomUUID(), "hello");
    await until(threadId, ({ queued }) => queued === 1);

    await bridge.kill();
    bridge = await start();

    const inbox = (await (await fetch(`${bridge.http}/v1/inbox`)).json()) as {
      requests: { id: string; threadId: string }[];
    };
    expect(inbox.requests).toContainEqual(
      expect.objectContaining({ id, threadId }),
    );
    // The client that was asked answers, and the process that is new resumes the run.
    first.url = `${bridge.http}/v1/agents/${name}/agui`;
    const events = await answer(first, { approved: true });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
    const after = await until(
      threadId,
      ({ phase, queued }) => phase === "idle" && queued === 0,
    );
    expect(after.journal.map(({ requestId }) => requestId)).toEqual([id]);

    // A second kill between the answer and now changes nothing of it.
    await bridge.kill();
    bridge = await start();
    expect(await view(threadId)).toMatchObject({ phase: "idle", pending: [] });
    const again = await fetch(
      `${bridge.http}/v1/threads/${threadId}/requests/${id}`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ decision: { approved: false } }),
      },
    );
    expect(again.status).toBe(409);
  },
);

test("a run in flight ends as lost, for everybody who asks", async () => {
  const threadId = randomUUID();
  const runId = randomUUID();
  begin("demo", threadId, runId, "slow 200");
  await until(threadId, ({ phase }) => phase === "running");
  await bridge.kill();
  bridge = await start();
  await until(threadId, ({ phase }) => phase === "idle");
  const response = await fetch(`${bridge.http}/v1/agents/demo/agui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      threadId,
      runId: randomUUID(),
      messages: [{ id: "n", role: "user", content: "hello" }],
    }),
  });
  expect(await response.text()).toContain("RUN_FINISHED");
});
