import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { fronts, openChat } from "../src/chat.js";
import { startScriptedAgent } from "../src/scripted-agent.js";
import type { Line, Protocol } from "../src/scripted-agent.js";
import type { Server } from "../src/server.js";

// A chat that posts by itself posts again when it takes what it has got for finished. However
// an agent ends what it goes on with, one decision is one post, whichever of the predicates
// of the SDK the page has set, or both.

const call = { toolCallId: "c1", toolName: "pay", input: { euros: 5 } };
const output = {
  type: "tool-output-available",
  toolCallId: "c1",
  output: "paid",
};
const start = { type: "start" };
const step = { type: "start-step" };
const stepEnd = { type: "finish-step" };
const finish = { type: "finish" };
const words = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "There." },
  { type: "text-end", id: "t" },
];
const look = { toolCallId: "c2", toolName: "look", input: {} };
const looked = [
  { type: "tool-input-available", ...look },
  { type: "tool-output-available", toolCallId: "c2", output: "seen" },
];

const result = {
  type: "TOOL_CALL_RESULT",
  messageId: "r1",
  toolCallId: "c1",
  content: "paid",
};
const said = [
  { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "There." },
  { type: "TEXT_MESSAGE_END", messageId: "m2" },
];
const calls = (toolCallId: string, toolCallName: string, delta: string) => [
  { type: "TOOL_CALL_START", toolCallId, toolCallName },
  { type: "TOOL_CALL_ARGS", toolCallId, delta },
  { type: "TOOL_CALL_END", toolCallId },
];
const seen = {
  type: "TOOL_CALL_RESULT",
  messageId: "r2",
  toolCallId: "c2",
  content: "seen",
};
const ended = (outcome: object) => ({ type: "RUN_FINISHED", outcome });

/** What an agent says when it goes on. */
const endings: Record<Protocol, Record<string, Line[]>> = {
  aisdk: {
    "a result": [start, output, finish],
    "a result and no finish": [start, output],
    "a result, and text": [start, output, step, ...words, stepEnd, finish],
    "a result, and text in its step": [start, output, ...words, finish],
    "a result, and an empty step": [start, output, step, stepEnd, finish],
    "a result, and a step that does not end": [start, output, step, finish],
    "a result, and transient data": [
      start,
      output,
      step,
      { type: "data-x", data: 1, transient: true },
      finish,
    ],
    "a result, and another call": [start, output, step, ...looked, finish],
    "a result, and another call in its step": [
      start,
      output,
      ...looked,
      finish,
    ],
    "a result that is preliminary": [
      start,
      { ...output, preliminary: true },
      finish,
    ],
    "a failure of the tool": [
      start,
      { type: "tool-output-error", toolCallId: "c1", errorText: "no money" },
      finish,
    ],
    "a denial": [
      start,
      { type: "tool-output-denied", toolCallId: "c1" },
      finish,
    ],
    "an abort": [start, { type: "abort" }],
    "a result, and an abort": [start, output, { type: "abort" }],
    "a result, a step and an abort": [start, output, step, { type: "abort" }],
    "an error": [start, { type: "error", errorText: "broken" }],
    "a result, and an error": [
      start,
      output,
      { type: "error", errorText: "broken" },
    ],
    "a start": [start],
    "a finish": [start, finish],
    nothing: [],
    "a broken connection": [start, output, "cut"],
  },
  agui: {
    "a result": [result],
    "a result, and text": [result, ...said],
    text: said,
    nothing: [],
    "a result, and a step": [
      result,
      { type: "STEP_STARTED", stepName: "s" },
      { type: "STEP_FINISHED", stepName: "s" },
    ],
    "a result, and an event of its own": [
      result,
      { type: "CUSTOM", name: "x", value: 1 },
    ],
    "a result, and state": [
      result,
      { type: "STATE_SNAPSHOT", snapshot: { a: 1 } },
    ],
    "a result, and another call": [result, ...calls("c2", "look", "{}"), seen],
    "another call": [...calls("c2", "look", "{}"), seen],
    "an error": [{ type: "RUN_ERROR", message: "broken" }],
    "a result, and an error": [
      result,
      { type: "RUN_ERROR", message: "broken" },
    ],
    cancelled: [ended({ type: "cancelled" })],
    "a result, and cancelled": [result, ended({ type: "cancelled" })],
    "a broken connection": [result, "cut"],
  },
};

const stops: Record<Protocol, Line[]> = {
  aisdk: [
    { type: "start", messageId: "m1" },
    step,
    { type: "tool-input-available", ...call },
    { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
    stepEnd,
    finish,
  ],
  agui: [
    ...calls("c1", "pay", '{"euros":5}'),
    ended({
      type: "interrupt",
      interrupts: [{ id: "a1", reason: "tool_call", toolCallId: "c1" }],
    }),
  ],
};

/** The same with a tool that the page runs. */
const asksThePage: Record<Protocol, Line[]> = {
  aisdk: [
    { type: "start", messageId: "m1" },
    step,
    { type: "tool-input-available", ...call },
    stepEnd,
    finish,
  ],
  agui: [
    ...calls("c1", "pay", '{"euros":5}'),
    ended({ type: "success", pendingToolCallIds: ["c1"] }),
  ],
};

const protocols = ["agui", "aisdk"] as const;
let bridge: Bridge;
const agents: Server[] = [];

beforeAll(async () => {
  const urls: string[] = [];
  for (const protocol of protocols) {
    for (const [name, stop] of [
      ["decided", stops],
      ["page", asksThePage],
    ] as const) {
      const agent = await startScriptedAgent(protocol, ({ said, goesOn }) =>
        structuredClone(
          goesOn ? (endings[protocol][said] ?? []) : stop[protocol],
        ),
      );
      agents.push(agent);
      urls.push(`${protocol}-${name}=${protocol}+http://${agent.address}/`);
    }
  }
  bridge = await startBridge({ AGUI_BRIDGE_AGENTS: urls.join(",") });
});

afterAll(async () => {
  await bridge.stop();
  await Promise.all(agents.map((agent) => agent.close()));
});

const automatic = ["decided", "completed", "both"] as const;
const cases = fronts.flatMap((front) =>
  protocols.flatMap((protocol) =>
    automatic.map((when) => ({ front, protocol, when })),
  ),
);

describe.each(cases)(
  "$front, agent of $protocol, posts when $when",
  ({ front, protocol, when }) => {
    const open = (agent: string) =>
      openChat({
        front,
        base: bridge.http,
        agent: `${protocol}-${agent}`,
        automatic: when,
      });
    const names = Object.keys(endings[protocol]);

    test.each(
      names.flatMap((name) => [
        { name, approved: true },
        { name, approved: false },
      ]),
    )("$name, approved $approved", async ({ name, approved }) => {
      const chat = open("decided");
      await chat.say(name);
      await chat.decide(chat.tool("pay").approval?.id, approved);
      if (when === "completed") {
        await chat.send(); // a page with this predicate sends decisions itself
      }
      await chat.settled();
      expect(chat.sends()).toBe(2);
      chat.close();
    });

    test.each(names)("%s, after a result of the page", async (name) => {
      const chat = open("page");
      await chat.say(name);
      await chat.answer(chat.tool("pay").toolCallId, "paid");
      if (when === "decided") {
        await chat.send();
      }
      await chat.settled();
      expect(chat.sends()).toBe(2);
      chat.close();
    });
  },
);
