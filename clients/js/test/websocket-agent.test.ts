import { EventType } from "@ag-ui/client";
import type { BaseEvent, RunAgentInput } from "@ag-ui/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket as NodeWebSocket, WebSocketServer } from "ws";
import type { WebSocket as ServerSocket } from "ws";

import { BridgeConnectionError, BridgeFrameError, RunInProgressError, WebSocketAgent } from "../src/index.js";
import type { WebSocketConstructor } from "../src/index.js";

type Frame = Record<string, unknown>;

let server: WebSocketServer;
let connections = 0;
let received: Frame[] = [];
let answer: (socket: ServerSocket, frame: Frame) => void;

beforeEach(async () => {
  connections = 0;
  received = [];
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  server.on("connection", (socket) => {
    connections += 1;
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString("utf8")) as Frame;
      received.push(frame);
      answer(socket, frame);
    });
  });
});

afterEach(async () => {
  for (const client of server.clients) {
    client.terminate();
  }
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function agent(): WebSocketAgent {
  const { port } = server.address() as { port: number };
  return new WebSocketAgent({
    url: `ws://127.0.0.1:${String(port)}`,
    threadId: "t",
    WebSocket: NodeWebSocket as unknown as WebSocketConstructor,
  });
}

const input = (runId: string): RunAgentInput => ({
  threadId: "t",
  runId,
  messages: [],
  tools: [],
  context: [],
});

const started = (runId: unknown) => JSON.stringify({ type: "RUN_STARTED", threadId: "t", runId });
const finished = (runId: unknown) => JSON.stringify({ type: "RUN_FINISHED", threadId: "t", runId });

function collect(from: WebSocketAgent, runId: string): Promise<BaseEvent[]> {
  return new Promise((resolve, reject) => {
    const events: BaseEvent[] = [];
    from.run(input(runId)).subscribe({
      next: (event) => events.push(event),
      error: reject,
      complete: () => {
        resolve(events);
      },
    });
  });
}

const play = (socket: ServerSocket, frame: Frame) => {
  socket.send(started(frame["runId"]));
  socket.send(finished(frame["runId"]));
};

test("a run gives the events up to the terminal one", async () => {
  answer = play;
  const events = await collect(agent(), "r1");
  expect(events.map((event) => event.type)).toEqual([EventType.RUN_STARTED, EventType.RUN_FINISHED]);
});

test("RUN_ERROR ends a run as an event, not as a broken connection", async () => {
  answer = (socket) => {
    socket.send(JSON.stringify({ type: "RUN_ERROR", message: "no", code: "invalid_input" }));
  };
  const events = await collect(agent(), "r1");
  expect(events).toEqual([{ type: "RUN_ERROR", message: "no", code: "invalid_input" }]);
});

test("the next run uses the same connection", async () => {
  answer = play;
  const client = agent();
  await collect(client, "r1");
  await collect(client, "r2");
  expect(connections).toBe(1);
  expect(received.map((frame) => frame["runId"])).toEqual(["r1", "r2"]);
});

test("a clean close before the terminal event fails the run", async () => {
  answer = (socket, frame) => {
    socket.send(started(frame["runId"]));
    socket.close(1001, "going away");
  };
  const failure = await collect(agent(), "r1").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BridgeConnectionError);
  expect(failure).toMatchObject({ code: 1001, reason: "going away" });
});

test("a bridge that cannot be reached fails the run", async () => {
  const client = new WebSocketAgent({
    url: "ws://127.0.0.1:1",
    WebSocket: NodeWebSocket as unknown as WebSocketConstructor,
  });
  await expect(collect(client, "r1")).rejects.toMatchObject({ code: 1006 });
});

test("after a lost connection the next run opens a new one", async () => {
  answer = (socket, frame) => {
    if (frame["runId"] === "r1") {
      socket.terminate();
      return;
    }
    play(socket, frame);
  };
  const client = agent();
  await expect(collect(client, "r1")).rejects.toBeInstanceOf(BridgeConnectionError);
  await collect(client, "r2");
  expect(connections).toBe(2);
});

test.each([["[1]"], ["{}"], ["not json"], [Buffer.from("{}")]])(
  "a frame that is no JSON object fails the run: %j",
  async (frame) => {
    answer = (socket) => {
      socket.send(frame);
    };
    await expect(collect(agent(), "r1")).rejects.toBeInstanceOf(BridgeFrameError);
  },
);

test("a second run at the same time is refused and leaves the first alone", async () => {
  let release: () => void = () => undefined;
  answer = (socket, frame) => {
    socket.send(started(frame["runId"]));
    release = () => {
      socket.send(finished(frame["runId"]));
    };
  };
  const client = agent();
  const first = collect(client, "r1");
  await expect(collect(client, "r2")).rejects.toBeInstanceOf(RunInProgressError);
  await expect.poll(() => received.length).toBe(1);
  release();
  expect(await first).toHaveLength(2);
});

test("abortRun asks the bridge to stop the thread, and the run ends as the bridge says", async () => {
  answer = (socket, frame) => {
    if (frame["type"] === "cancel") {
      socket.send(
        JSON.stringify({
          type: "RUN_FINISHED",
          threadId: "t",
          runId: "r1",
          outcome: { type: "cancelled" },
        }),
      );
      return;
    }
    socket.send(started("r1"));
  };
  const client = agent();
  const run = collect(client, "r1");
  await expect.poll(() => received.length).toBe(1);
  client.abortRun();
  expect((await run).at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
  expect(received.at(-1)).toEqual({ type: "cancel", threadId: "t" });
});

test("leaving a run closes the connection and does not cancel", async () => {
  answer = (socket, frame) => {
    socket.send(started(frame["runId"]));
  };
  const client = agent();
  const reading = client.run(input("r1")).subscribe();
  await expect.poll(() => received.length).toBe(1);
  reading.unsubscribe();
  await expect.poll(() => server.clients.size).toBe(0);
  expect(received).toHaveLength(1);
});

test("a clone has the same conversation and a connection of its own", async () => {
  answer = play;
  const client = agent();
  client.addMessage({ id: "m", role: "user", content: "hello" });
  const copy = client.clone();
  expect(copy.messages).toEqual(client.messages);
  await Promise.all([collect(client, "r1"), collect(copy, "r2")]);
  expect(connections).toBe(2);
});

test("abortRun before the connection is open is sent after the input", async () => {
  answer = (socket, frame) => {
    if (frame["type"] === "cancel") {
      socket.send(JSON.stringify({ type: "unknown-thread", threadId: "t" }));
      socket.send(finished("r1"));
    }
  };
  const client = agent();
  const run = collect(client, "r1");
  client.abortRun();
  expect(await run).toMatchObject([{ type: "RUN_FINISHED" }]);
  expect(received).toMatchObject([{ runId: "r1" }, { type: "cancel", threadId: "t" }]);
});
