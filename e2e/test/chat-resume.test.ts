import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { fronts, openChat } from "../src/chat.js";
import type { Part } from "../src/chat.js";
import { answerElsewhere, idle, pending } from "../src/thread.js";
import { until } from "../src/wait.js";

// What a chat gets that comes back, and what it gets that asks twice.

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

describe.each(pairs)("$front with $agent", ({ front, agent }) => {
  const open = (id: string = randomUUID(), messages: unknown[] = []) =>
    openChat({ front, base: bridge.http, agent, id, messages });

  test("a chat with nothing going on is told so", async () => {
    const chat = open();
    await chat.resume();
    expect(chat.error()).toBeUndefined();
    expect(chat.messages()).toEqual([]);
    await chat.say("hello");
    await chat.resume();
    expect(chat.error()).toBeUndefined();
    expect(chat.text()).toBe("Hello! How can I help you?");
    chat.close();
  });

  test("two tabs read one answer, the second from its first word", async () => {
    const chat = open();
    const said = chat.say("slow 8");
    await until(() => chat.text() !== "");
    const tab = open(chat.id);
    await tab.resume();
    await said;
    await tab.settled();
    expect(tab.text()).toBe(chat.text());
    expect(tab.messages().at(-1)?.id).toBe(chat.messages().at(-1)?.id);
    expect(chat.text().trim().split(" ")).toHaveLength(8);
    chat.close();
    tab.close();
  });

  test("a decision taken elsewhere is in the chat's next history", async () => {
    const chat = open();
    await chat.say("email");
    await answerElsewhere(bridge, chat.id, { decision: { approved: true } });
    await idle(bridge, chat.id);
    await chat.say("hello");
    await chat.settled();
    expect(chat.error()).toBeUndefined();
    expect(chat.text()).toBe("Hello! How can I help you?");
    await chat.valid();
    expect(await pending(bridge, chat.id)).toEqual([]);
    chat.close();
  });

  test("a chat that decides what another has decided is told who did", async () => {
    const chat = open();
    await chat.say("delete");
    await answerElsewhere(bridge, chat.id, { decision: { approved: false } });
    await idle(bridge, chat.id);
    await chat.decide(
      chat.parts().find((part) => part.approval)?.approval?.id,
      true,
    );
    await chat.settled();
    expect(chat.error()?.message).toContain("already_settled");
    expect(chat.text()).not.toContain("Done");
    chat.close();
  });

  test("a form filled in elsewhere does not wait any more", async () => {
    const chat = open();
    await chat.say("book");
    await answerElsewhere(bridge, chat.id, { input: { action: "decline" } });
    await idle(bridge, chat.id);
    await chat.say("hello");
    await chat.settled();
    expect(chat.error()).toBeUndefined();
    expect(chat.text()).toBe("Hello! How can I help you?");
    await chat.valid();
    chat.close();
  });
});

describe.each(agents)("over HTTP, %s", (agent) => {
  const url = () => `${bridge.http}/v1/agents/${agent}/aisdk`;
  const user = (text: string) => ({
    id: randomUUID(),
    role: "user",
    parts: [{ type: "text", text }],
  });
  const post = (body: object) =>
    fetch(url(), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ trigger: "submit-message", ...body }),
    });

  test("the same post twice is one run with one answer", async () => {
    const body = { id: randomUUID(), messages: [user("hello")] };
    const first = await (await post(body)).text();
    const second = await (await post(body)).text();
    expect(first).toContain("text-delta");
    expect(first.trimEnd().endsWith("data: [DONE]")).toBe(true);
    const parts = (text: string) =>
      text.split("\n").filter((line) => line.startsWith("data: "));
    expect(parts(second)).toEqual(parts(first));
  });

  test("the newest message alone is enough", async () => {
    const id = randomUUID();
    await (await post({ id, message: user("hello") })).text();
    const answer = await (await post({ id, message: user("delete") })).text();
    expect(answer).toContain("tool-approval-request");
    const [request] = await pending(bridge, id);
    const call = answer
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map(
        (line) => JSON.parse(line.slice(6)) as Part & { toolCallId?: string },
      )
      .find((chunk) => chunk.type === "tool-input-available");
    const start = answer
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map(
        (line) =>
          JSON.parse(line.slice(6)) as { type: string; messageId?: string },
      )
      .find((chunk) => chunk.type === "start");
    const more = await (
      await post({
        id,
        message: {
          id: start?.messageId,
          role: "assistant",
          parts: [
            {
              type: "tool-delete_database",
              toolCallId: call?.toolCallId,
              state: "approval-responded",
              input: call?.input,
              approval: { id: request?.id, approved: false },
            },
          ],
        },
      })
    ).text();
    expect(more).toContain("You denied");
    const both = await post({
      id: randomUUID(),
      message: user("delete"),
      messages: [user("hello")],
    });
    expect(await both.text()).not.toContain("tool-approval-request");
  });

  test("nothing to come back to is 204", async () => {
    const response = await fetch(`${url()}/${randomUUID()}/stream`);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
  });
});

describe.each([
  ["no JSON", "{"],
  ["no type", "{}"],
  ["an unknown type", `{"type":"stop","requestId":"r"}`],
  ["no request id", `{"type":"resume","id":"c"}`],
  [
    "messages that are none",
    `{"type":"send","requestId":"r","id":"c","trigger":"submit-message","messages":1,"headers":{},"body":{}}`,
  ],
  [
    "an unknown trigger",
    `{"type":"send","requestId":"r","id":"c","trigger":"x","messages":[],"headers":{},"body":{}}`,
  ],
])("a frame with %s", (_, frame) => {
  test("closes the socket with 1008", async () => {
    const socket = new WebSocket(`${bridge.ws}/v1/agents/demo/aisdk`);
    await new Promise((resolve) => socket.once("open", resolve));
    const closed = new Promise<number>((resolve) =>
      socket.once("close", (code) => {
        resolve(code);
      }),
    );
    socket.send(frame);
    expect(await closed).toBe(1008);
  });
});

test("many chats share a socket, each counted from 0", async () => {
  const socket = new WebSocket(`${bridge.ws}/v1/agents/demo/aisdk`);
  await new Promise((resolve) => socket.once("open", resolve));
  const frames: { type: string; requestId: string; sequence?: number }[] = [];
  socket.on("message", (data: Buffer) =>
    frames.push(JSON.parse(data.toString()) as (typeof frames)[number]),
  );
  const requests = Array.from({ length: 20 }, (_, i) => `r${String(i)}`);
  for (const requestId of requests) {
    socket.send(
      JSON.stringify({
        type: "send",
        requestId,
        id: randomUUID(),
        trigger: "submit-message",
        headers: {},
        body: {},
        messages: [
          {
            id: randomUUID(),
            role: "user",
            parts: [{ type: "text", text: "stream 20" }],
          },
        ],
      }),
    );
  }
  await until(() => frames.filter((f) => f.type === "end").length === 20);
  for (const requestId of requests) {
    const chunks = frames.filter(
      (f) => f.requestId === requestId && f.type === "chunk",
    );
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.map((f) => f.sequence)).toEqual(chunks.map((_, i) => i));
  }
  socket.close();
});

test("a second request under the id of one that is being answered closes the socket", async () => {
  const socket = new WebSocket(`${bridge.ws}/v1/agents/demo/aisdk`);
  await new Promise((resolve) => socket.once("open", resolve));
  const closed = new Promise<number>((resolve) =>
    socket.once("close", (code) => {
      resolve(code);
    }),
  );
  for (let i = 0; i < 2; i++) {
    socket.send(
      JSON.stringify({
        type: "send",
        requestId: "r",
        id: randomUUID(),
        trigger: "submit-message",
        headers: {},
        body: {},
        messages: [
          {
            id: randomUUID(),
            role: "user",
            parts: [{ type: "text", text: "slow 20" }],
          },
        ],
      }),
    );
  }
  expect(await closed).toBe(1008);
});
