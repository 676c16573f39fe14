import { validateUIMessages as validate } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { fronts, openChat } from "../src/chat.js";
import type { Part } from "../src/chat.js";
import { serve } from "../src/server.js";
import type { Server } from "../src/server.js";
import { until } from "../src/wait.js";

// A tab that comes back while an answer goes on after a decision: it gets the message from
// its first part on, with the decision in it, and what comes after.

const call = { toolCallId: "c1", toolName: "pay" };
const stops = {
  aisdk: [
    { type: "start", messageId: "m1" },
    { type: "text-start", id: "t1" },
    { type: "text-delta", id: "t1", delta: "May I? " },
    { type: "text-end", id: "t1" },
    { type: "tool-input-available", ...call, input: { euros: 5 } },
    { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" },
    { type: "finish" },
  ],
  agui: [
    { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "May I? " },
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "pay" },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"euros":5}' },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
  ],
};
const settles = {
  aisdk: {
    true: { type: "tool-output-available", toolCallId: "c1", output: "paid" },
    false: { type: "tool-output-denied", toolCallId: "c1" },
  },
  agui: {
    true: {
      type: "TOOL_CALL_RESULT",
      messageId: "r1",
      toolCallId: "c1",
      content: "paid",
    },
    false: {
      type: "TOOL_CALL_RESULT",
      messageId: "r1",
      toolCallId: "c1",
      content: "denied",
    },
  },
};
const goesOn = {
  aisdk: [
    { type: "start-step" },
    { type: "text-start", id: "t2" },
    { type: "text-delta", id: "t2", delta: "Half " },
  ],
  agui: [
    { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "Half " },
  ],
};
const ends = {
  aisdk: [
    { type: "text-delta", id: "t2", delta: "whole." },
    { type: "text-end", id: "t2" },
    { type: "finish" },
  ],
  agui: [
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "whole." },
    { type: "TEXT_MESSAGE_END", messageId: "m2" },
  ],
};

/** What is said to whatever comes after. */
const again = {
  aisdk: [
    { type: "start" },
    { type: "text-start", id: "t3" },
    { type: "text-delta", id: "t3", delta: "Well." },
    { type: "text-end", id: "t3" },
    { type: "finish" },
  ],
  agui: [
    { type: "TEXT_MESSAGE_START", messageId: "m3", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m3", delta: "Well." },
    { type: "TEXT_MESSAGE_END", messageId: "m3" },
  ],
};

/** What the agents were sent, in order. */
const histories: { role: string; parts?: Part[] }[][] = [];

type Protocol = keyof typeof stops;

/** The answers that wait for the test to let them end. */
const waiting: (() => void)[] = [];

/** An agent that asks, and holds the rest of its answer back until it is let go. */
function startAgent(protocol: Protocol): Promise<Server> {
  return serve(async (text, response) => {
    const { threadId, runId, resume, messages } = JSON.parse(text) as {
      threadId?: string;
      runId?: string;
      resume?: { payload?: { approved?: boolean } }[];
      messages: { role: string; parts?: Part[] }[];
    };
    const say = (events: readonly object[]) => {
      for (const event of events) {
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const ids = { threadId, runId };
    const agui = protocol === "agui";
    if (agui) {
      say([{ type: "RUN_STARTED", ...ids }]);
    }
    const decided = agui
      ? resume?.[0]?.payload?.approved
      : messages.at(-1)?.parts?.findLast((part) => part.approval)?.approval
          ?.approved;
    const interrupts = [{ id: "a1", reason: "tool_call", toolCallId: "c1" }];
    let outcome: object = { type: "success" };
    if (messages.at(-1)?.role === "user" && messages.length > 1) {
      say(again[protocol]);
    } else if (decided === undefined) {
      say(stops[protocol]);
      outcome = { type: "interrupt", interrupts };
    } else {
      if (!agui) {
        say([{ type: "start" }]);
      }
      say([settles[protocol][decided ? "true" : "false"], ...goesOn[protocol]]);
      await new Promise<void>((resolve) => waiting.push(resolve));
      say(ends[protocol]);
    }
    histories.push(messages);
    if (agui) {
      say([{ type: "RUN_FINISHED", ...ids, outcome }]);
    }
    response.end();
  });
}

let bridge: Bridge;
const agents: Server[] = [];

beforeAll(async () => {
  const urls: string[] = [];
  for (const protocol of ["agui", "aisdk"] as const) {
    const agent = await startAgent(protocol);
    agents.push(agent);
    urls.push(`${protocol}=${protocol}+http://${agent.address}/`);
  }
  bridge = await startBridge({ AGUI_BRIDGE_AGENTS: urls.join(",") });
});

afterAll(async () => {
  await bridge.stop();
  await Promise.all(agents.map((agent) => agent.close()));
});

const pairs = fronts.flatMap((front) =>
  (["agui", "aisdk"] as const).map((agent) => ({ front, agent })),
);

describe.each(pairs)("$front with $agent", ({ front, agent }) => {
  const open = (id?: string, messages: unknown[] = []) =>
    openChat({
      front,
      base: bridge.http,
      agent,
      messages,
      ...(id === undefined ? {} : { id }),
    });

  test.each([true, false])(
    "tabs that come back to a continuation get all of it: approved %s",
    async (approved) => {
      const chat = open();
      await chat.say("pay");
      const approval = chat.tool("pay").approval?.id;
      const asked = chat.messages();
      const fresh = open(chat.id);
      const old = open(chat.id, asked);
      const decided = chat.decide(approval, approved);
      await until(() => chat.text().includes("Half"));
      const reading = [fresh.resume(), old.resume()];
      await until(() =>
        [fresh, old].every((tab) => tab.text().includes("Half")),
      );
      waiting.shift()?.();
      await Promise.all([decided, ...reading]);
      for (const tab of [chat, fresh, old]) {
        await tab.settled();
        expect(tab.error()).toBeUndefined();
        expect(tab.text()).toBe("May I? Half whole.");
      }
      const settled = approved ? "output-available" : "output-denied";
      const recorded = { state: settled, approval: { id: "a1", approved } };
      expect(chat.tool("pay")).toMatchObject(recorded);
      await chat.valid();
      for (const tab of [fresh, old]) {
        await tab.valid();
        if (tab.major === 7) {
          expect(tab.tool("pay")).toMatchObject(recorded);
          continue;
        }
        // ai 6 has no chunk for a decision: the chat is told what came of it alone.
        expect(tab.tool("pay").state).toBe(
          approved ? "output-available" : "output-error",
        );
        expect(tab.tool("pay").approval).toBeUndefined();
      }
      expect(old.messages()).toHaveLength(2);
      expect(fresh.messages()).toHaveLength(1);
      expect(fresh.messages().at(-1)?.id).toBe(chat.messages().at(-1)?.id);
      expect([chat, fresh, old].map((tab) => tab.sends())).toEqual([2, 0, 0]);
      const known = old.tool("pay").state;
      await old.say("and now?");
      expect(old.error()).toBeUndefined();
      expect(old.text()).toBe("Well.");
      if (agent === "aisdk") {
        const sent = histories.at(-1) ?? [];
        const paid = sent
          .flatMap(({ parts }) => parts ?? [])
          .find(({ type }) => type === "tool-pay");
        expect(paid?.state).toBe(known);
        await validate({ messages: sent });
      }
      for (const tab of [chat, fresh, old]) {
        tab.close();
      }
    },
  );
});
