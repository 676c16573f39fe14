import { AbstractAgent } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/client";
import { randomUUID } from "node:crypto";
import { from } from "rxjs";
import type { Observable } from "rxjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import {
  answer,
  connect,
  only,
  say,
  text,
  types,
} from "../src/conversation.js";

let bridge: Bridge;

beforeAll(async () => {
  bridge = await startBridge({});
});

afterAll(async () => {
  await bridge.stop();
});

/** The client's own pipeline and reducers, over events that were received before. */
class Replay extends AbstractAgent {
  constructor(private readonly events: BaseEvent[]) {
    super();
  }

  run(): Observable<BaseEvent> {
    return from(this.events);
  }

  protected override connect(): Observable<BaseEvent> {
    return from(this.events);
  }
}

/** A tab that opened a thread: what it was told, up to now. */
class Tab {
  readonly frames: BaseEvent[] = [];
  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString("utf8")) as BaseEvent);
    });
  }

  static async open(name: string, threadId: string): Promise<Tab> {
    const socket = new WebSocket(`${bridge.ws}/v1/agents/${name}/agui`);
    const tab = new Tab(socket);
    await new Promise((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("error", reject);
    });
    socket.send(JSON.stringify({ type: "attach", threadId }));
    return tab;
  }

  /** Waits until n runs have ended, the restated one among them. */
  async ended(n: number): Promise<void> {
    const over = () =>
      this.frames.filter(({ type }) =>
        ["RUN_FINISHED", "RUN_ERROR"].includes(type),
      ).length;
    while (over() < n) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** What the published client holds after all that the tab was told. */
  async holds(): Promise<Replay> {
    const agent = new Replay(
      this.frames.filter(({ type }) => (type as string) !== "attached"),
    );
    await agent.connectAgent();
    return agent;
  }

  close(): void {
    this.socket.close();
  }
}

const answerOverHTTP = (threadId: string, requestId: string, body: unknown) =>
  fetch(`${bridge.http}/v1/threads/${threadId}/requests/${requestId}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe.each(["demo", "demo-aisdk"])("%s", (name) => {
  test("a tab that opens a thread holds what the tab that started it holds", async () => {
    const threadId = randomUUID();
    const agent = connect(bridge.ws, name, threadId);
    await say(agent, "think");
    await say(agent, "email");
    const { id } = only(agent.pendingInterrupts);

    const tab = await Tab.open(name, threadId);
    await tab.ended(1);
    const before = await tab.holds();
    expect(before.messages).toEqual(agent.messages);
    expect(only(before.pendingInterrupts)).toMatchObject({ id });

    // Somebody else decides; nobody's input resumes the run.
    const response = await answerOverHTTP(threadId, id, {
      decision: { approved: true },
    });
    expect(response.status).toBe(200);
    await tab.ended(2);

    // The first tab gives the same answer, and joins the run that goes on already.
    const events = await answer(agent, { approved: true });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
    expect(types(events)).toEqual(types(tab.frames.slice(-events.length)));
    expect((await tab.holds()).messages).toEqual(agent.messages);
    tab.close();
    agent.close();
  });

  test("another answer is refused with who has decided", async () => {
    const threadId = randomUUID();
    const agent = connect(bridge.ws, name, threadId);
    await say(agent, "email");
    const { id } = only(agent.pendingInterrupts);
    await answerOverHTTP(threadId, id, { decision: { approved: false } });
    const refused = await answer(agent, { approved: true });
    expect(refused.at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "already_settled",
      message: expect.stringContaining("anonymous") as string,
    });
    agent.close();
  });
});
