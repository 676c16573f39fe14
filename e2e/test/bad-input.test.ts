import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { ServerResponse } from "node:http";
import { WebSocket } from "ws";

import { freePort, startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { connect, say, text } from "../src/conversation.js";
import { serve } from "../src/server.js";
import type { Server } from "../src/server.js";

const hello = (runId: string) => ({
  threadId: `thread-${runId}`,
  runId,
  messages: [{ id: "m", role: "user", content: "hello" }],
});

/** A socket without any client library: frames in, frames out. */
class RawSocket {
  readonly frames: Record<string, unknown>[] = [];
  closed: number | undefined;
  private readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      this.frames.push(
        JSON.parse(data.toString("utf8")) as Record<string, unknown>,
      );
    });
    socket.on("close", (code) => {
      this.closed = code;
    });
    socket.on("error", () => undefined);
  }

  static async open(url: string): Promise<RawSocket> {
    const socket = new WebSocket(url);
    const raw = new RawSocket(socket);
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return raw;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  /** Waits for the terminal event of the next run, and gives all frames since the last one. */
  async run(frame: unknown): Promise<Record<string, unknown>[]> {
    this.frames.length = 0;
    this.send(frame);
    await expect
      .poll(() => this.frames.at(-1)?.["type"], { timeout: 10_000 })
      .toMatch(/^RUN_(FINISHED|ERROR)$/);
    return [...this.frames];
  }

  close(): void {
    this.socket.close();
  }
}

describe("input that is not what the protocol allows", () => {
  let bridge: Bridge;
  let url: string;

  beforeAll(async () => {
    bridge = await startBridge({ AGUI_BRIDGE_MAX_MESSAGE_BYTES: "65536" });
    url = `${bridge.ws}/v1/agents/demo/agui`;
  });

  afterAll(async () => {
    await bridge.stop();
  });

  test.each([
    ["bytes that are no JSON", "hello", 1007],
    ["a JSON array", "[]", 1007],
    ["a member named twice", '{"threadId":"a","threadId":"b"}', 1007],
    [
      "a frame over the limit",
      JSON.stringify({ ...hello("big"), state: "x".repeat(70_000) }),
      1009,
    ],
  ])("%s closes the socket", async (_, frame, code) => {
    const socket = await RawSocket.open(url);
    socket.send(frame);
    await expect.poll(() => socket.closed).toBe(code);
    expect(socket.frames).toEqual([]);
  });

  test.each([
    ["messages", { ...hello("bad-1"), messages: 5 }],
    ["runId", { threadId: "t", messages: [] }],
    [
      "content",
      { ...hello("bad-2"), messages: [{ id: "m", role: "user", content: 7 }] },
    ],
    ["interruptId", { ...hello("bad-3"), resume: [{ status: "resolved" }] }],
  ])(
    "a wrong %s is refused by its name, before any RUN_STARTED, and the socket stays usable",
    async (field, frame) => {
      const socket = await RawSocket.open(url);
      expect(await socket.run(frame)).toMatchObject([
        {
          type: "RUN_ERROR",
          code: "invalid_input",
          message: expect.stringContaining(field) as string,
        },
      ]);
      expect((await socket.run(hello(`after-${field}`))).at(-1)).toMatchObject({
        type: "RUN_FINISHED",
      });
      socket.close();
    },
  );

  test("an unknown agent is refused before the upgrade, and over HTTP", async () => {
    const response = await fetch(`${bridge.http}/v1/agents/nobody/agui`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(hello("nobody")),
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: "unknown_agent" },
    });
    await expect(
      RawSocket.open(`${bridge.ws}/v1/agents/nobody/agui`),
    ).rejects.toThrow("404");
  });

  test("an unknown thread is not found", async () => {
    const response = await fetch(`${bridge.http}/v1/threads/nobody`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { code: "unknown_thread" },
    });
  });
});

describe("an agent that does not do what its protocol demands", () => {
  let bridge: Bridge;
  let agent: Server;
  let misbehave: (
    response: ServerResponse,
    input: { threadId: string; runId: string },
  ) => void;

  beforeAll(async () => {
    agent = await serve((body, response, request) => {
      const parsed = JSON.parse(body) as {
        threadId?: string;
        runId?: string;
        id?: string;
      };
      misbehave(response, {
        threadId: parsed.threadId ?? "",
        runId: parsed.runId ?? "",
      });
      return request;
    });
    const nobody = `127.0.0.1:${String(await freePort())}`;
    bridge = await startBridge({
      AGUI_BRIDGE_AGENTS: [
        `agui=agui+http://${agent.address}/`,
        `aisdk=aisdk+http://${agent.address}/`,
        `agui-gone=agui+http://${nobody}/`,
        `aisdk-gone=aisdk+http://${nobody}/`,
      ].join(","),
    });
  });

  afterAll(async () => {
    await bridge.stop();
    await agent.close();
  });

  beforeEach(() => {
    misbehave = (response) => response.destroy();
  });

  const events = (response: ServerResponse, frames: unknown[]) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) {
      response.write(`data: ${JSON.stringify(frame)}\n\n`);
    }
  };

  const half = {
    agui: (input: { threadId: string; runId: string }) => [
      { type: "RUN_STARTED", ...input },
      { type: "TEXT_MESSAGE_START", messageId: "m" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "half" },
    ],
    aisdk: () => [
      { type: "start" },
      { type: "start-step" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "half" },
    ],
  };

  const whole = {
    agui: (input: { threadId: string; runId: string }) => [
      ...half.agui(input),
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "RUN_FINISHED", ...input },
    ],
    aisdk: () => [
      ...half.aisdk(),
      { type: "text-end", id: "1" },
      { type: "finish-step" },
      { type: "finish" },
    ],
  };

  describe.each(["agui", "aisdk"] as const)("%s", (kind) => {
    test("refused connection", async () => {
      const client = connect(bridge.ws, `${kind}-gone`);
      expect(await say(client, "hi")).toMatchObject([
        { type: "RUN_ERROR", code: "upstream_unreachable" },
      ]);
      client.close();
    });

    test.each([
      [
        "status 500",
        "upstream_status",
        (response: ServerResponse) => response.writeHead(500).end("oops"),
      ],
      [
        "HTML",
        "upstream_malformed",
        (response: ServerResponse) =>
          response
            .writeHead(200, { "content-type": "text/html" })
            .end("<p>hello</p>"),
      ],
      [
        "a connection that breaks mid-message",
        "upstream_truncated",
        (
          response: ServerResponse,
          input: { threadId: string; runId: string },
        ) => {
          events(response, half[kind](input));
          setTimeout(() => response.destroy(), 50);
        },
      ],
      [
        "a clean end mid-message",
        "upstream_truncated",
        (
          response: ServerResponse,
          input: { threadId: string; runId: string },
        ) => {
          events(response, half[kind](input));
          response.end();
        },
      ],
      [
        "a known member of the wrong type",
        "upstream_malformed",
        (
          response: ServerResponse,
          input: { threadId: string; runId: string },
        ) => {
          const bad =
            kind === "agui"
              ? { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 42 }
              : { type: "text-delta", id: "1", delta: 42 };
          events(response, [...half[kind](input), bad]);
          response.end();
        },
      ],
    ])("%s ends as %s, and the socket stays usable", async (_, code, how) => {
      const client = connect(bridge.ws, kind);
      misbehave = how;
      const failed = await say(client, "hi");
      expect(failed.at(-1)).toMatchObject({ type: "RUN_ERROR", code });
      misbehave = (response, input) => {
        events(response, whole[kind](input));
        response.end();
      };
      expect(text(await say(client, "again"))).toBe("half");
      client.close();
    });
  });
});
