import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { openChat } from "../src/chat.js";
import type { TestChat } from "../src/chat.js";
import { until } from "../src/wait.js";

// A person who stops an answer wants it stopped. A page that goes away says nothing of the
// kind: its run goes on, unless whoever runs the bridge wants it otherwise.

let detaching: Bridge;
let cancelling: Bridge;

beforeAll(async () => {
  detaching = await startBridge({});
  cancelling = await startBridge({ AGUI_BRIDGE_ON_DISCONNECT: "cancel" });
});

afterAll(async () => {
  await detaching.stop();
  await cancelling.stop();
});

async function phase(bridge: Bridge, thread: string): Promise<string> {
  const response = await fetch(`${bridge.http}/v1/threads/${thread}`);
  return ((await response.json()) as { phase: string }).phase;
}

/** Says something that takes a minute, and waits until the answer has begun. */
async function saying(chat: TestChat): Promise<void> {
  void chat.say("slow 600").catch(() => undefined);
  await until(() => chat.text().includes("word1 "));
}

const agents = ["demo", "demo-aisdk"] as const;

describe.each(agents)("%s", (agent) => {
  const open = (
    bridge: Bridge,
    front: "ai 6, HTTP" | "ai 7, HTTP" | "ai 7, WebSocket",
    id: string = randomUUID(),
  ) => openChat({ front, base: bridge.http, agent, id });

  test("stop over WebSocket stops the run", async () => {
    const chat = open(detaching, "ai 7, WebSocket");
    await saying(chat);
    await chat.stop();
    await until(async () => (await phase(detaching, chat.id)) === "idle");
    expect(chat.error()).toBeUndefined();
    await chat.say("hello");
    await chat.settled();
    expect(chat.text()).toBe("Hello! How can I help you?");
    await chat.valid();
    chat.close();
  });

  test.each(["ai 6, HTTP", "ai 7, HTTP"] as const)(
    "stop over HTTP leaves the run going, with %s",
    async (front) => {
      const chat = open(detaching, front);
      await saying(chat);
      await chat.stop();
      await chat.settled();
      expect(await phase(detaching, chat.id)).toBe("running");
      const response = await fetch(
        `${detaching.http}/v1/threads/${chat.id}/cancel`,
        { method: "POST" },
      );
      expect(response.status).toBe(200);
      await until(async () => (await phase(detaching, chat.id)) === "idle");
    },
  );

  test("a socket that drops leaves the run going, and another shows all of it", async () => {
    const chat = open(detaching, "ai 7, WebSocket");
    await saying(chat);
    chat.close();
    expect(await phase(detaching, chat.id)).toBe("running");
    const back = open(detaching, "ai 7, WebSocket", chat.id);
    const resumed = back.resume();
    await until(() => back.text().includes("word3 "));
    expect(back.text().startsWith("word1 word2 word3 ")).toBe(true);
    await back.stop();
    await resumed;
    back.close();
    await fetch(`${detaching.http}/v1/threads/${chat.id}/cancel`, {
      method: "POST",
    });
  });

  test.each(["ai 6, HTTP", "ai 7, HTTP", "ai 7, WebSocket"] as const)(
    "a bridge that is set to stops what its reader leaves, with %s",
    async (front) => {
      const chat = open(cancelling, front);
      await saying(chat);
      if (front === "ai 7, WebSocket") {
        chat.close();
      } else {
        await chat.stop();
      }
      await until(async () => (await phase(cancelling, chat.id)) === "idle");
    },
  );

  test("what one reader leaves goes on while another reads it", async () => {
    const chat = open(cancelling, "ai 7, WebSocket");
    await saying(chat);
    const tab = open(cancelling, "ai 7, WebSocket", chat.id);
    const resumed = tab.resume().catch(() => undefined);
    await until(() => tab.text().includes("word2 "));
    chat.close();
    const heard = tab.text().length;
    await until(() => tab.text().length > heard);
    expect(await phase(cancelling, chat.id)).toBe("running");
    tab.close();
    await resumed;
    await until(async () => (await phase(cancelling, chat.id)) === "idle");
  });

  test("an abort frame stops the run of its request, and says no more of it", async () => {
    const socket = new WebSocket(`${detaching.ws}/v1/agents/${agent}/aisdk`);
    const frames: { type: string; requestId: string }[] = [];
    socket.on("message", (data: Buffer) =>
      frames.push(
        JSON.parse(data.toString()) as { type: string; requestId: string },
      ),
    );
    await new Promise((resolve) => socket.once("open", resolve));
    const send = (requestId: string, id: string, text: string) => {
      socket.send(
        JSON.stringify({
          type: "send",
          requestId,
          id,
          trigger: "submit-message",
          headers: {},
          body: {},
          messages: [
            { id: randomUUID(), role: "user", parts: [{ type: "text", text }] },
          ],
        }),
      );
    };
    const slow = randomUUID();
    const other = randomUUID();
    send("slow", slow, "slow 600");
    send("other", other, "slow 600");
    await until(
      () =>
        frames.filter((f) => f.requestId === "slow").length > 4 &&
        frames.filter((f) => f.requestId === "other").length > 4,
    );
    socket.send(JSON.stringify({ type: "abort", requestId: "slow" }));
    await until(async () => (await phase(detaching, slow)) === "idle");
    const said = frames.filter((f) => f.requestId === "slow").length;
    const more = frames.length;
    await until(() => frames.length > more);
    expect(frames.filter((f) => f.requestId === "slow")).toHaveLength(said);
    expect(await phase(detaching, other)).toBe("running");
    socket.send(JSON.stringify({ type: "abort", requestId: "other" }));
    await until(async () => (await phase(detaching, other)) === "idle");
    // One that is over already is nobody's.
    socket.send(JSON.stringify({ type: "abort", requestId: "slow" }));
    send("again", slow, "hello");
    await until(() =>
      frames.some((f) => f.requestId === "again" && f.type === "end"),
    );
    socket.close();
  });
});
