import { HttpAgent } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/client";
import { AGUI_MEDIA_TYPE, decode, encode } from "@ag-ui/proto";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { answer, say, text, types } from "../src/conversation.js";
import { serve } from "../src/server.js";
import type { Server } from "../src/server.js";

let bridge: Bridge;
let agent: Server;

/** What the agent says between RUN_STARTED and RUN_FINISHED, by the last message. */
const scripts: Record<string, object[]> = {
  everything: [
    { type: "STATE_SNAPSHOT", snapshot: { b: [null, 1.5, "é"], 7: {}, 3: "" } },
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/x", value: null }] },
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [
        {
          id: "u",
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image", source: { type: "url", value: "https://a/b" } },
          ],
        },
        { id: "p", role: "activity", activityType: "plan", content: { n: 1 } },
      ],
    },
    { type: "CUSTOM", name: "n", value: { deep: [[[]]] }, metadata: { k: 0 } },
    { type: "RAW", event: "raw", source: "s", timestamp: 1796000000000 },
  ],
  unencodable: [{ type: "CUSTOM", name: "n", value: "HUGE" }],
};

beforeAll(async () => {
  agent = await serve((body, response) => {
    const input = JSON.parse(body) as {
      threadId: string;
      runId: string;
      messages: { content: string }[];
    };
    const { threadId, runId } = input;
    const script = scripts[input.messages.at(-1)?.content ?? ""] ?? [];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [
      { type: "RUN_STARTED", threadId, runId },
      ...script,
      { type: "RUN_FINISHED", threadId, runId },
    ]) {
      // A number that is none in JavaScript, and so none in the binary form.
      const json = JSON.stringify(event).replace('"HUGE"', "1e999");
      response.write(`data: ${json}\n\n`);
    }
    response.end();
  });
  bridge = await startBridge({
    AGUI_BRIDGE_AGENTS: `demo=builtin:demo,demo-aisdk=builtin:demo-aisdk,mine=agui+http://${agent.address}/`,
  });
});

afterAll(async () => {
  await bridge.stop();
  await agent.close();
});

interface Input {
  protocolVersion: string;
  threadId: string;
  runId: string;
  messages: { id: string; role: string; content: string }[];
}

const input = (content: string): Input => ({
  protocolVersion: "1.1",
  threadId: randomUUID(),
  runId: randomUUID(),
  messages: [{ id: "m", role: "user", content }],
});

const post = (name: string, accept: string, body: Input) =>
  fetch(`${bridge.http}/v1/agents/${name}/agui`, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
  });

async function overSSE(name: string, body: Input): Promise<BaseEvent[]> {
  const response = await post(name, "text/event-stream", body);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  return (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as BaseEvent);
}

/** The frames of a binary body, each without its length. */
async function overHTTP(name: string, body: Input): Promise<Uint8Array[]> {
  const response = await post(name, AGUI_MEDIA_TYPE, body);
  expect(response.headers.get("content-type")).toBe(AGUI_MEDIA_TYPE);
  const bytes = Buffer.from(await response.arrayBuffer());
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    expect(end).toBeLessThanOrEqual(bytes.length);
    frames.push(new Uint8Array(bytes.subarray(at + 4, end)));
    at = end;
  }
  return frames;
}

/** The binary frames of one run, over a socket that offers the subprotocols. */
function overWebSocket(name: string, body: Input): Promise<Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const frames: Uint8Array[] = [];
    const socket = new WebSocket(`${bridge.ws}/v1/agents/${name}/agui`, [
      "ag-ui.v1.proto",
      "ag-ui.v1",
    ]);
    socket.on("open", () => {
      expect(socket.protocol).toBe("ag-ui.v1.proto");
      socket.send(JSON.stringify(body));
    });
    socket.on("error", reject);
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) {
        reject(new Error(`a frame is text: ${data.toString("utf8")}`));
      }
      frames.push(new Uint8Array(data));
      const { type } = decode(new Uint8Array(data));
      if (["RUN_FINISHED", "RUN_ERROR"].includes(type)) {
        socket.close();
        resolve(frames);
      }
    });
  });
}

describe.each(["demo", "demo-aisdk", "mine"])("%s", (name) => {
  const prompt = name === "mine" ? "everything" : "email";

  test("says the same over protobuf and over SSE, byte for byte as @ag-ui/proto", async () => {
    const body = input(prompt);
    const events = await overSSE(name, body);
    expect(events.length).toBeGreaterThan(3);
    // The same input joins the same run, however it comes.
    for (const frames of [
      await overHTTP(name, body),
      await overWebSocket(name, body),
    ]) {
      expect(frames.map((frame) => decode(frame))).toEqual(
        events.map((event) => decode(encode(event))),
      );
      expect(frames.map((frame) => decode(frame))).toEqual(events);
      expect(frames.map(hex)).toEqual(
        events.map((event) => hex(encode(event))),
      );
    }
  });
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("HttpAgent, unmodified, over protobuf", () => {
  test("hello, and email approved", async () => {
    const agent = new HttpAgent({
      url: `${bridge.http}/v1/agents/demo/agui`,
      // It asks for SSE by itself, and reads what it gets.
      fetch: (url, init) => {
        const headers = new Headers(init.headers);
        headers.set("accept", AGUI_MEDIA_TYPE);
        return fetch(url, { ...init, headers });
      },
    });
    expect(text(await say(agent, "hello"))).toBe("Hello! How can I help you?");
    await say(agent, "email");
    const events = await answer(agent, { approved: true });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
  });
});

test("an event without a binary form ends the stream with an error that names it", async () => {
  const body = input("unencodable");
  for (const frames of [
    await overHTTP("mine", body),
    await overWebSocket("mine", body),
  ]) {
    const events = frames.map((frame) => decode(frame));
    expect(types(events)).toEqual(["RUN_STARTED", "RUN_ERROR"]);
    expect(events.at(-1)).toMatchObject({
      code: "internal",
      message: expect.stringContaining("CUSTOM: /value") as string,
    });
  }
  expect(types(await overSSE("mine", body))).toEqual([
    "RUN_STARTED",
    "CUSTOM",
    "RUN_FINISHED",
  ]);
});

test("a client that does not name the binary form gets SSE", async () => {
  for (const accept of ["*/*", "application/*", `${AGUI_MEDIA_TYPE};q=0`]) {
    const response = await post("demo", accept, input("hello"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await response.body?.cancel();
  }
});
