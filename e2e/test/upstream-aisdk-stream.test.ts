import { EventType } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/client";
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

import type { AISDKAgent } from "../src/aisdk-agent.js";
import { fleet, startFleet } from "../src/aisdk-fleet.js";
import type { Fleet } from "../src/aisdk-fleet.js";
import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { connect, only, say, text, types } from "../src/conversation.js";
import { startRawAgent } from "../src/raw-agent.js";
import type { Step } from "../src/raw-agent.js";
import { failure } from "../src/scenario.js";
import type { Server } from "../src/server.js";

// What an agent does that writes its stream itself: with the package's writer, or by hand.

const customs = (events: BaseEvent[]) =>
  events
    .filter((event) => event.type === EventType.CUSTOM)
    .map(
      (event) =>
        (event as BaseEvent & { value: Record<string, unknown> }).value,
    );

describe("createUIMessageStream", () => {
  let all: Fleet;

  beforeAll(async () => {
    all = await startFleet();
  });

  afterAll(async () => {
    await all.stop();
  });

  describe.each(
    fleet.filter(([, , , kind]) => kind === "createUIMessageStream"),
  )("%s", (_, name) => {
    let agent: AISDKAgent;
    let client: WebSocketAgent;

    beforeEach(() => {
      agent = all.agent(name);
      agent.clear();
      client = connect(all.bridge.ws, name);
    });

    afterEach(() => {
      client.close();
    });

    test("data parts arrive in order, with the id by which they replace each other, also transient ones", async () => {
      const events = await say(client, "data");
      expect(
        customs(events).filter(({ type }) => String(type).startsWith("data-")),
      ).toEqual([
        { type: "data-progress", id: "p1", data: { percent: 10 } },
        { type: "data-note", data: "unnamed" },
        { type: "data-progress", id: "p1", data: { percent: 100 } },
        { type: "data-toast", data: { text: "gone soon" }, transient: true },
      ]);
      expect(text(events)).toBe("You said: data");
    });

    test("what the agent writes and what it merges keep their order", async () => {
      const events = await say(client, "order");
      expect(
        events
          .filter(
            (event) =>
              event.type === EventType.TEXT_MESSAGE_CONTENT ||
              event.type === EventType.CUSTOM,
          )
          .map((event) =>
            event.type === EventType.CUSTOM
              ? (event as BaseEvent & { name: string }).name
              : (event as BaseEvent & { delta: string }).delta,
          ),
      ).toEqual([
        "Written first.",
        "ai-sdk/data-note",
        "ai-sdk/message-metadata",
        "You said: order",
      ]);
      expect(client.messages.slice(1)).toMatchObject([
        { content: "Written first." },
        { content: "You said: order" },
      ]);
    });

    test("a form comes with the hint that says how to show it", async () => {
      const events = await say(client, "book");
      const callId = only(client.pendingInterrupts).id;
      expect(
        customs(events).filter(({ type }) => type === "data-render"),
      ).toMatchObject([
        {
          id: `render-${callId}`,
          data: { toolCallId: callId, render: { kind: "elicitation" } },
        },
      ]);
    });

    test("an error thrown in the middle fails the run once, with what onError makes of it", async () => {
      const events = await say(client, "throw");
      expect(text(events)).toBe("Half a senten");
      expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
        "RUN_STARTED",
        "RUN_ERROR",
      ]);
      expect(events.at(-1)).toMatchObject({ message: failure });
      expect(text(await say(client, "hello"))).toContain("Hello");
    });

    test("a stream that ends early, without finish, has succeeded", async () => {
      const events = await say(client, "early");
      expect(agent.sent.map(({ type }) => type)).not.toContain("finish");
      expect(text(events)).toBe("All I had to say.");
      expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
    });
  });
});

describe("by hand", () => {
  const said = [
    '{"type":"start","messageId":"m"}',
    '{"type":"start-step"}',
    '{"type":"text-start","id":"1"}',
    '{"type":"text-delta","id":"1","delta":"All is said."}',
    '{"type":"text-end","id":"1"}',
    '{"type":"finish-step"}',
  ];
  const half = said.slice(0, 4);
  const finish = '{"type":"finish","finishReason":"stop"}';
  const done = "[DONE]";
  const late = '{"type":"text-delta","id":"9","delta":"too late"}';
  const answers: Record<string, Step[]> = {
    plain: [...said, finish, done],
    "trailing-chunk": [...said, finish, done, late],
    "trailing-text": [...said, finish, done, { bytes: "data: not JSON\n\n" }],
    "trailing-bytes": [...said, finish, done, { bytes: "\n\n\u0000\u0001{{{" }],
    "trailing-cut": [...said, finish, done, { cut: true }],
    "trailing-slow": [...said, finish, done, { wait: 5_000 }],
    "done-twice": [...said, finish, done, done],
    "no-finish": [...said, done],
    "no-finish-step": [...said.slice(0, 5), done],
    "no-done": [...said, finish],
    "no-done-cut": [...said, finish, { cut: true }],
    comments: [
      { bytes: ": stream-open\n\n" },
      ...said,
      { bytes: ": keep-alive\n\n" },
      finish,
      done,
    ],
    crlf: [
      ...said.map((data) => ({ bytes: `data: ${data}\r\n\r\n` })),
      { bytes: `data: ${finish}\r\n\r\ndata: [DONE]\r\n\r\n` },
    ],
    aborts: [...half, '{"type":"abort","reason":"enough"}', done],
    "neither-nor": said,
    "half-done": [...half, done],
    "half-cut": [...half, { cut: true }],
    "half-closed": half,
    nothing: [],
    "only-done": [done],
    "half-event": [...half, { bytes: 'data: {"type":"text-end","id":"1"}' }],
    "unknown-call": [
      ...half,
      '{"type":"tool-output-available","toolCallId":"never","output":1}',
    ],
    "not-json": [...half, "{"],
    "automatic-only": [
      ...said.slice(0, 5),
      '{"type":"tool-input-available","toolCallId":"c","toolName":"t","input":{}}',
      '{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","isAutomatic":true}',
      '{"type":"finish-step"}',
      finish,
      done,
    ],
    "error-then-more": [
      ...half,
      '{"type":"error","errorText":"it broke"}',
      '{"type":"error","errorText":"it broke again"}',
      finish,
      done,
    ],
    "error-then-cut": [
      ...half,
      '{"type":"error","errorText":"it broke"}',
      { cut: true },
    ],
  };

  let raw: Server;
  let bridge: Bridge;

  beforeAll(async () => {
    raw = await startRawAgent(answers);
    bridge = await startBridge({
      AGUI_BRIDGE_AGENTS: Object.keys(answers)
        .map((name) => `${name}=aisdk+http://${raw.address}/${name}`)
        .join(","),
    });
  });

  afterAll(async () => {
    await bridge.stop();
    await raw.close();
  });

  const ask = async (name: string) => {
    const client = connect(bridge.ws, name);
    const events = await say(client, "hello");
    client.close();
    return events;
  };

  test.each([
    ["a whole stream", "plain"],
    ["a chunk after [DONE]", "trailing-chunk"],
    ["data that is no JSON after [DONE]", "trailing-text"],
    ["bytes that are no event after [DONE]", "trailing-bytes"],
    ["a connection that breaks after [DONE]", "trailing-cut"],
    ["[DONE] twice", "done-twice"],
    ["no finish, but [DONE]", "no-finish"],
    ["no finish of the step either, but [DONE]", "no-finish-step"],
    ["finish, but no [DONE]", "no-done"],
    ["finish, no [DONE], and a connection that breaks", "no-done-cut"],
    ["comments between the events", "comments"],
    ["lines that end as in Windows", "crlf"],
  ])("%s: is a success, with all that was said", async (_, name) => {
    const events = await ask(name);
    expect(text(events)).toBe("All is said.");
    expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
      "RUN_STARTED",
      "RUN_FINISHED",
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
  });

  test("a connection that stays open after [DONE] keeps nobody waiting", async () => {
    const started = Date.now();
    const events = await ask("trailing-slow");
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
    expect(Date.now() - started).toBeLessThan(3_000);
  });

  test.each([
    ["neither finish nor [DONE]", "neither-nor"],
    ["[DONE] with a text half said", "half-done"],
    ["a connection that breaks in the middle", "half-cut"],
    ["a stream that is closed in the middle", "half-closed"],
    ["an event without its blank line", "half-event"],
    ["nothing at all", "nothing"],
    ["nothing but [DONE]", "only-done"],
  ])("%s: is upstream_truncated, never a success", async (_, name) => {
    const events = await ask(name);
    expect(events.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "upstream_truncated",
    });
    expect(types(events)).not.toContain("RUN_FINISHED");
  });

  test.each([
    ["an output of a call that was never made", "unknown-call"],
    ["a chunk that is no JSON", "not-json"],
  ])("%s: is upstream_malformed", async (_, name) => {
    const events = await ask(name);
    expect(text(events)).toBe("All is said.");
    expect(events.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "upstream_malformed",
    });
  });

  test.each(["error-then-more", "error-then-cut"])(
    "%s: the run fails once, with the agent's text",
    async (name) => {
      const events = await ask(name);
      expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
        "RUN_STARTED",
        "RUN_ERROR",
      ]);
      // As in a chat, which ends at the first error.
      expect(events.at(-1)).toMatchObject({ message: "it broke" });
    },
  );

  test("an automatic approval whose answer never came asks nobody", async () => {
    const events = await ask("automatic-only");
    expect(events.at(-1)).toMatchObject({ outcome: { type: "success" } });
    expect(JSON.stringify(events)).not.toContain('"interrupts"');
  });

  test("an agent that aborts its run has cancelled it", async () => {
    const events = await ask("aborts");
    expect(types(events).slice(-2)).toEqual([
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  });
});
