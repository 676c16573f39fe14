import { EventType } from "@ag-ui/client";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import {
  approve,
  asked,
  downgraded,
  startPlayer,
  tell,
  versions,
} from "../src/versions.js";
import type { Client, Player } from "../src/versions.js";

// Client packages of several versions, unmodified, over HTTP and SSE. Those of before 1.0
// declare no protocol version: they refuse a stream for one thing that they do not know.

let bridge: Bridge;
let player: Player;

beforeAll(async () => {
  player = await startPlayer("every-event.in.jsonl");
  bridge = await startBridge({
    AGUI_BRIDGE_AGENTS: [
      "demo=builtin:demo",
      "demo-aisdk=builtin:demo-aisdk",
      `player=agui+http://${player.address}/`,
    ].join(","),
  });
});

afterAll(async () => {
  await bridge.stop();
  await player.close();
});

beforeEach(() => {
  player.inputs.length = 0;
});

const image = {
  type: "image",
  source: { type: "data", value: "QQ==", mimeType: "image/png" },
};

describe.each(versions)("HttpAgent of $version", (version) => {
  const talkTo = (agent: string): Client =>
    new version.HttpAgent({ url: `${bridge.http}/v1/agents/${agent}/agui` });
  const old = version.version.startsWith("0.");

  describe.each(["demo", "demo-aisdk"])("at %s", (agent) => {
    test("holds the greeting", async () => {
      const client = talkTo(agent);
      await tell(client, "hello");
      expect(client.messages).toMatchObject([
        { role: "user", content: "hello" },
        { role: "assistant", content: "Hello! How can I help you?" },
      ]);
    });

    test("is asked for approval, and answers", async () => {
      const client = talkTo(agent);
      const events = await tell(client, "email");
      const proposal = {
        role: "assistant",
        content: "I would like to send this email.",
        toolCalls: [{ function: { name: "send_email" } }],
      };
      expect(client.messages).toMatchObject([{ role: "user" }, proposal]);
      expect(asked(events)).toHaveLength(1);

      await approve(version, client, events);
      expect(client.messages).toMatchObject([
        { role: "user" },
        proposal,
        {
          role: "tool",
          toolCallId: asked(events)[0]?.toolCallId,
          content: expect.stringContaining('"sent":true') as string,
        },
        {
          role: "assistant",
          content: "I sent the email to ada@example.com.",
        },
      ]);
    });

    test("holds what the agent reasoned", async () => {
      const client = talkTo(agent);
      await tell(client, "think");
      expect(client.messages).toMatchObject([
        { role: "user" },
        {
          role: "reasoning",
          content: "The user wants to see me think. So I think.",
        },
        { role: "assistant", content: "I thought about it." },
      ]);
    });

    test("sees a run end that somebody stopped", async () => {
      const client = talkTo(agent);
      let stopped: Promise<Response> | undefined;
      const events = await tell(client, "slow 200", ({ type }) => {
        if (type === EventType.TEXT_MESSAGE_CONTENT) {
          stopped ??= fetch(
            `${bridge.http}/v1/threads/${client.threadId}/cancel`,
            { method: "POST" },
          );
        }
      });
      expect((await stopped)?.ok).toBe(true);
      const last = events.at(-1) as { type: string; outcome?: unknown };
      expect(last.type).toBe("RUN_FINISHED");
      expect(last.outcome).toEqual(old ? undefined : { type: "cancelled" });
      expect(client.messages).toMatchObject([
        { role: "user" },
        { role: "assistant" },
      ]);
    });
  });

  test("holds the state", async () => {
    const client = talkTo("demo");
    await tell(client, "state");
    expect(client.state).toEqual({ steps: ["first", "second"], done: true });
  });

  test("reads a stream that has every event", async () => {
    const client = talkTo("player");
    const events = await tell(client, "Look");
    expect(events.at(-1)?.type).toBe("RUN_FINISHED");
    expect(events.some(({ type }) => type.startsWith("SUBAGENT_"))).toBe(!old);
    expect(client.state).toEqual({ n: 2 });

    const whose = old ? {} : { subagentRunId: "s1" };
    const call = (id: string, name: string, args: string, extra = {}) => ({
      id,
      role: "assistant",
      toolCalls: [
        { id, type: "function", function: { name, arguments: args } },
      ],
      ...extra,
    });
    const held = client.messages.map(withoutMetadata);
    expect(held).toHaveLength(12);
    // A result goes behind its call in 1.0.0, and to the end before.
    expect(held).toEqual(
      expect.arrayContaining([
        { id: "u", role: "user", content: looked(old) },
        {
          id: "q",
          role: "reasoning",
          content: "Let me think.",
          encryptedValue: "e",
        },
        { id: "q2", role: "reasoning", content: "More." },
        { id: "m1", role: "assistant", content: "The agent speaks." },
        {
          id: "m2",
          role: "assistant",
          content: "The subagent speaks.",
          ...whose,
        },
        call("c1", "search", '{"q":1}', whose),
        call("c2", "look", '{"at":2}'),
        call("c3", "f", "{}"),
        {
          id: "x1",
          role: "tool",
          toolCallId: "c1",
          content: old ? "found" : [{ type: "text", text: "found" }],
          ...whose,
        },
        {
          id: "x2",
          role: "tool",
          toolCallId: "c2",
          content: old ? "seen" : [{ type: "text", text: "seen" }, image],
        },
        {
          id: "y",
          role: "activity",
          activityType: "plan",
          content: { done: 1 },
        },
        { id: "m3", role: "assistant", content: "Done." },
      ]),
    );
  });

  test("sends media back as the agent sent it", async () => {
    const client = talkTo("player");
    await tell(client, "Look");
    await tell(client, "Again");
    const url = "https://example.com/a.png";
    const mimeType = old ? { mimeType: "image/*" } : {};
    expect(player.inputs.at(-1)?.messages[0]?.content).toEqual([
      { type: "text", text: "Look" },
      image,
      { type: "image", source: { type: "url", value: url, ...mimeType } },
    ]);
  });

  test("sends an attachment in the shape of its time", async () => {
    const client = talkTo("player");
    await tell(client, [
      { type: "text", text: "Look" },
      { type: "binary", mimeType: "image/png", data: "QQ==" },
    ]);
    expect(player.inputs[0]?.messages[0]?.content).toEqual([
      { type: "text", text: "Look" },
      image,
    ]);
  });
});

describe.each(versions)(
  "What is made for old clients, at $version",
  ({ HttpAgent }) => {
    test.each(downgraded)("%s is read", async (name) => {
      const agent = await startPlayer(name);
      const client = new HttpAgent({ url: `http://${agent.address}/` });
      const last = (await tell(client, "Look")).at(-1);
      expect(last?.type).toMatch(/^RUN_(FINISHED|ERROR)$/);
      await agent.close();
    });
  },
);

/** The message of the user after the stream's snapshot. */
function looked(old: boolean) {
  const url = "https://example.com/a.png";
  return [
    { type: "text", text: "Look" },
    ...(old
      ? [
          { type: "binary", mimeType: "image/png", data: "QQ==" },
          { type: "binary", mimeType: "image/*", url },
        ]
      : [image, { type: "image", source: { type: "url", value: url } }]),
  ];
}

/** What each version keeps beside the content of a message is its own affair. */
function withoutMetadata(message: Record<string, unknown>) {
  const rest = { ...message };
  delete rest["metadata"];
  delete rest["name"];
  return rest;
}
