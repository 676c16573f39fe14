import type { WebSocketAgent } from "@agui-bridge/client";
import { randomUUID } from "node:crypto";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  test,
} from "vitest";

import { startAGUIAgent } from "../src/agui-agent.js";
import type { AGUIAgent } from "../src/agui-agent.js";
import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import {
  answer,
  connect,
  only,
  results,
  run,
  say,
  text,
  types,
} from "../src/conversation.js";
import { email, failure, greeting } from "../src/scenario.js";

// An agent written with the protocol's own packages behind the bridge.

let agent: AGUIAgent;
let bridge: Bridge;
let client: WebSocketAgent;

beforeAll(async () => {
  agent = await startAGUIAgent();
  bridge = await startBridge({ AGUI_BRIDGE_AGENTS: `agui=agui+${agent.url}` });
});

afterAll(async () => {
  await bridge.stop();
  await agent.close();
});

beforeEach(() => {
  agent.clear();
  client = connect(bridge.ws, "agui");
});

afterEach(() => {
  client.close();
});

test("what the agent says arrives, event by event", async () => {
  const events = await say(client, "hello");
  expect(text(events)).toBe(greeting.join(""));
  expect(events).toMatchObject(agent.sent);
});

test("an approval runs the tool once, with the edits if there are any", async () => {
  await say(client, "email");
  await answer(client, { approved: true });
  await say(client, "email");
  const edited = { ...email, to: "grace@example.com" };
  const events = await answer(client, { approved: true, editedArgs: edited });
  expect(agent.executed).toEqual([
    { tool: "send_email", input: email },
    { tool: "send_email", input: edited },
  ]);
  expect(results(events)).toMatchObject([
    { content: JSON.stringify({ sent: true, ...edited }) },
  ]);
});

test("of three approvals, those that were given run", async () => {
  await say(client, "parallel");
  const decisions = [
    { approved: true },
    { approved: false },
    { approved: true },
  ];
  const events = await run(client, {
    resume: client.pendingInterrupts.map(({ id }, i) => ({
      interruptId: id,
      status: "resolved",
      payload: decisions[i],
    })),
  });
  expect(agent.executed.map(({ tool }) => tool)).toEqual([
    "send_email",
    "delete_database",
  ]);
  expect(text(events)).toContain("You denied send_email");
  expect(agent.requests).toHaveLength(2);
});

test("a denial runs nothing, and its reason reaches the agent", async () => {
  await say(client, "delete");
  const events = await answer(client, { approved: false, reason: "too risky" });
  expect(agent.executed).toEqual([]);
  expect(text(events)).toContain("Your reason: too risky");
});

test("a form is answered, and an answer that does not fit never reaches the agent", async () => {
  await say(client, "book");
  const interrupt = only(client.pendingInterrupts);
  const booking = {
    guests: 4,
    date: "2027-01-31",
    email: "ada@example.com",
    seating: "garden",
  };
  expect(await answer(client, { ...booking, guests: 11 })).toMatchObject([
    { type: "RUN_ERROR", code: "resume_invalid_payload" },
  ]);
  expect(agent.requests).toHaveLength(1);
  client.pendingInterrupts = [interrupt];
  expect(text(await answer(client, booking))).toContain('"guests":4');
});

test("questions are answered", async () => {
  await say(client, "ask");
  const payload = { Colour: "Blue", Toppings: ["Olives", "Basil"] };
  const events = await answer(client, payload);
  expect(results(events)).toMatchObject([{ content: JSON.stringify(payload) }]);
});

test("a client tool is left to the application", async () => {
  const events = await say(client, "locate");
  const { outcome } = events.at(-1) as unknown as {
    outcome: { pendingToolCallIds: string[] };
  };
  client.addMessage({
    id: randomUUID(),
    role: "tool",
    toolCallId: outcome.pendingToolCallIds[0] ?? "",
    content: "Berlin",
  });
  expect(text(await run(client))).toBe("The client tool returned: Berlin");
});

test("state arrives as it is built", async () => {
  await say(client, "state");
  expect(client.state).toEqual({ steps: ["first", "second"], done: true });
});

test("an error fails the run once, and a broken connection is one", async () => {
  const events = await say(client, "fail");
  expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
    "RUN_STARTED",
    "RUN_ERROR",
  ]);
  expect(events.at(-1)).toMatchObject({ message: failure });
  expect((await say(client, "drop")).at(-1)).toMatchObject({
    code: "upstream_truncated",
  });
});

test("stopping the run ends the agent's request", async () => {
  client.subscribe({
    onTextMessageContentEvent: () => {
      client.abortRun();
    },
  });
  const events = await say(client, "slow 200");
  expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  await expect.poll(() => agent.aborted).toBe(1);
});
