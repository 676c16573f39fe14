import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import {
  answer,
  connect,
  only,
  say,
  text,
  types,
} from "../src/conversation.js";
import { Tab } from "../src/tab.js";

let bridge: Bridge;

beforeAll(async () => {
  bridge = await startBridge({});
});

afterAll(async () => {
  await bridge.stop();
});

const answerOverHTTP = (threadId: string, requestId: string, body: unknown) =>
  fetch(`${bridge.http}/v1/threads/${threadId}/requests/${requestId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(["demo", "demo-aisdk"])("%s", (name) => {
  test("a tab that opens a thread holds what the tab that started it holds", async () => {
    const threadId = randomUUID();
    const agent = connect(bridge.ws, name, threadId);
    await say(agent, "think");
    await say(agent, "email");
    const { id } = only(agent.pendingInterrupts);

    const tab = await Tab.open(bridge, name, threadId);
    await tab.ended(1);
    const before = await tab.holds();
    expect(before.messages).toEqual(agent.messages);
    expect(only(before.pendingInterrupts)).toMatchObject({ id });

    // Somebody else decides; nobody's input resumes the run.
    const response = await answerOverHTTP(threadId, id, {
      decision: { approved: true },
    });
    expect(response.status).toBe(200);
    await tab.ended(2);

    // The first tab gives the same answer, and joins the run that goes on already.
    const events = await answer(agent, { approved: true });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
    expect(types(events)).toEqual(types(tab.frames.slice(-events.length)));
    expect((await tab.holds()).messages).toEqual(agent.messages);
    tab.close();
    agent.close();
  });

  test("another answer is refused with who has decided", async () => {
    const threadId = randomUUID();
    const agent = connect(bridge.ws, name, threadId);
    await say(agent, "email");
    const { id } = only(agent.pendingInterrupts);
    await answerOverHTTP(threadId, id, { decision: { approved: false } });
    const refused = await answer(agent, { approved: true });
    expect(refused.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "already_settled",
      message: expect.stringContaining("anonymous") as string,
    });
    agent.close();
  });
});
