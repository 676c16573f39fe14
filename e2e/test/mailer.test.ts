import type { WebSocketAgent } from "@agui-bridge/client";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";

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
import { startMailer } from "../src/mailer.js";
import type { Mailer } from "../src/mailer.js";

// A real AG-UI client, a real AI SDK agent, and the bridge between them.

let bridge: Bridge;
let mailer: Mailer;
let agent: WebSocketAgent;

beforeAll(async () => {
  mailer = await startMailer();
  bridge = await startBridge({
    AGUI_BRIDGE_AGENTS: `mailer=aisdk+http://${mailer.address}/api/chat`,
  });
});

afterAll(async () => {
  await bridge.stop();
  await mailer.close();
});

beforeEach(() => {
  mailer.sent.length = 0;
  mailer.prompts.length = 0;
  agent = connect(bridge.ws, "mailer");
});

afterEach(() => {
  agent.close();
});

test("a tool that needs approval stops the run with an interrupt that says what can be answered", async () => {
  const events = await say(agent, "Write to Ada");
  expect(text(events)).toBe("Let me send that.");
  const interrupt = only(agent.pendingInterrupts);
  expect(interrupt).toMatchObject({
    reason: "tool_call",
    toolCallId: expect.any(String) as string,
  });
  expect(interrupt.responseSchema).toMatchObject({
    type: "object",
    required: ["approved"],
    properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  });
  expect(interrupt.responseSchema).not.toHaveProperty("properties.editedArgs");
  expect(agent.messages.at(-1)).toMatchObject({
    role: "assistant",
    toolCalls: [{ id: interrupt.toolCallId, function: { name: "send_email" } }],
  });
  expect(mailer.sent).toEqual([]);
});

test("an approval runs the tool once, and its result and the closing text arrive", async () => {
  await say(agent, "Write to Ada");
  const callId = only(agent.pendingInterrupts).toolCallId;
  const events = await answer(agent, { approved: true });
  expect(mailer.sent).toEqual([
    { to: "ada@example.com", subject: "Hello", body: "How are you?" },
  ]);
  expect(results(events)).toMatchObject([
    { toolCallId: callId, content: '{"sent":true,"to":"ada@example.com"}' },
  ]);
  expect(types(events)).not.toContain("TOOL_CALL_START");
  expect(text(events)).toBe("All done.");
  expect(agent.pendingInterrupts).toEqual([]);
  expect(agent.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
});

test("after an approval the conversation goes on, and the tool is not run again", async () => {
  await say(agent, "Write to Ada");
  await answer(agent, { approved: true });
  await say(agent, "And once more");
  expect(mailer.sent).toHaveLength(1);
  expect(mailer.prompts.at(-1)).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          output: {
            type: "json",
            value: { sent: true, to: "ada@example.com" },
          },
        },
      ],
    },
    { role: "assistant" },
    { role: "user" },
  ]);
  await answer(agent, { approved: true });
  expect(mailer.sent).toHaveLength(2);
});

test("a denial does not run the tool, and the model is told the reason", async () => {
  await say(agent, "Write to Ada");
  const callId = only(agent.pendingInterrupts).toolCallId;
  const events = await answer(agent, { approved: false, reason: "wrong Ada" });
  expect(mailer.sent).toEqual([]);
  expect(mailer.model()).toContain("execution-denied");
  expect(mailer.model()).toContain("wrong Ada");
  expect(results(events)).toMatchObject([
    {
      toolCallId: callId,
      content: expect.stringContaining("wrong Ada") as string,
    },
  ]);
  expect(text(events)).toBe("All done.");
});

test("a denied call stays denied in the history of the next turn", async () => {
  await say(agent, "Write to Ada");
  await answer(agent, { approved: false, reason: "wrong Ada" });
  const events = await say(agent, "Then try again");
  expect(types(events)).not.toContain("RUN_ERROR");
  expect(mailer.model()).toContain("wrong Ada");
  expect(mailer.sent).toEqual([]);
});

test("an approval that was given up runs nothing", async () => {
  await say(agent, "Write to Ada");
  await run(agent, {
    resume: [
      { interruptId: only(agent.pendingInterrupts).id, status: "cancelled" },
    ],
  });
  expect(mailer.sent).toEqual([]);
  expect(mailer.model()).toContain("execution-denied");
});

describe("an answer that cannot be carried or read", () => {
  test.each([
    [
      "edits for an agent that takes none",
      { approved: true, editedArgs: { to: "eve@example.com" } },
      "edits_not_supported",
    ],
    ["a string for a boolean", { approved: "true" }, "resume_invalid_payload"],
    ["a number for a boolean", { approved: 1 }, "resume_invalid_payload"],
    ["no decision", { reason: "yes" }, "resume_invalid_payload"],
    [
      "malformed edits",
      { approved: true, editedArgs: "all" },
      "resume_invalid_payload",
    ],
    ["no object", "yes", "resume_invalid_payload"],
  ])(
    "%s: is refused, runs nothing, and leaves the request open",
    async (_, payload, code) => {
      await say(agent, "Write to Ada");
      const [interrupt] = agent.pendingInterrupts;
      expect(await answer(agent, payload)).toMatchObject([
        { type: "RUN_ERROR", code },
      ]);
      expect(mailer.sent).toEqual([]);
      await run(agent, {
        resume: [
          {
            interruptId: interrupt?.id ?? "",
            status: "resolved",
            payload: { approved: true },
          },
        ],
      });
      expect(mailer.sent).toHaveLength(1);
    },
  );
});

test("the same answer again joins the run it started, and the tool does not run again", async () => {
  await say(agent, "Write to Ada");
  const { id } = only(agent.pendingInterrupts);
  const first = await answer(agent, { approved: true }, "resumed");
  const again = await run(connect(bridge.ws, "mailer", agent.threadId), {
    resume: [
      { interruptId: id, status: "resolved", payload: { approved: true } },
    ],
  });
  expect(again).toEqual(first);
  expect(mailer.sent).toHaveLength(1);
});

test("a different answer to a settled request is refused and changes nothing", async () => {
  await say(agent, "Write to Ada");
  const { id } = only(agent.pendingInterrupts);
  await answer(agent, { approved: false });
  const late = await run(connect(bridge.ws, "mailer", agent.threadId), {
    resume: [
      { interruptId: id, status: "resolved", payload: { approved: true } },
    ],
  });
  expect(late).toMatchObject([{ type: "RUN_ERROR", code: "already_settled" }]);
  expect(mailer.sent).toEqual([]);
});

test("the thread shows what is asked, and afterwards who answered what", async () => {
  await say(agent, "Write to Ada");
  const { id, toolCallId } = only(agent.pendingInterrupts);
  const view = async () =>
    (
      await fetch(`${bridge.http}/v1/threads/${agent.threadId}`)
    ).json() as Promise<unknown>;
  expect(await view()).toMatchObject({
    threadId: agent.threadId,
    agent: "mailer",
    phase: "awaiting",
    queued: 0,
    pending: [
      {
        id,
        kind: "approval",
        threadId: agent.threadId,
        agent: "mailer",
        toolCall: {
          id: toolCallId,
          name: "send_email",
          args: { to: "ada@example.com" },
          executor: "agent",
        },
        answers: { reason: true, editedArgs: false, remember: true },
      },
    ],
    journal: [],
  });
  await answer(agent, { approved: true, reason: "fine" });
  expect(await view()).toMatchObject({
    phase: "idle",
    pending: [],
    journal: [
      {
        requestId: id,
        response: { decision: { approved: true, reason: "fine" } },
      },
    ],
  });
});
