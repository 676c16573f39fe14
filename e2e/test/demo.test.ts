import { HttpAgent } from "@ag-ui/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import {
  answer,
  connect,
  only,
  results,
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

describe.each(["demo", "demo-aisdk"])("%s over WebSocket", (name) => {
  test("hello streams a greeting", async () => {
    const agent = connect(bridge.ws, name);
    expect(text(await say(agent, "hello"))).toBe("Hello! How can I help you?");
    agent.close();
  });

  test("email, approved, reports the arguments it used", async () => {
    const agent = connect(bridge.ws, name);
    await say(agent, "email");
    const callId = only(agent.pendingInterrupts).toolCallId;
    const events = await answer(agent, { approved: true });
    expect(results(events)).toMatchObject([{ toolCallId: callId }]);
    expect(JSON.parse(results(events)[0]?.content ?? "")).toEqual({
      sent: true,
      to: "ada@example.com",
      subject: "Hello",
      body: "How are you?",
    });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
    agent.close();
  });

  test("delete, denied, does nothing and says the reason", async () => {
    const agent = connect(bridge.ws, name);
    await say(agent, "delete");
    const events = await answer(agent, {
      approved: false,
      reason: "too risky",
    });
    expect(text(events)).toContain("too risky");
    expect(results(events)[0]?.content).toContain("denied");
    agent.close();
  });

  test("slow, stopped by abortRun, ends cancelled with nothing left open", async () => {
    const agent = connect(bridge.ws, name);
    agent.subscribe({
      onTextMessageContentEvent: () => {
        agent.abortRun();
      },
    });
    const events = await say(agent, "slow 200");
    expect(types(events).slice(-2)).toEqual([
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
    agent.close();
  });

  test("drop is a failed run, never a success", async () => {
    const agent = connect(bridge.ws, name);
    expect((await say(agent, "drop")).at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "upstream_truncated",
    });
    expect(text(await say(agent, "hello"))).toContain("Hello");
    agent.close();
  });
});

describe("demo over WebSocket", () => {
  test("email, edited, runs with the edited arguments and no others", async () => {
    const agent = connect(bridge.ws, "demo");
    await say(agent, "email");
    const events = await answer(agent, {
      approved: true,
      editedArgs: {
        to: "grace@example.com",
        subject: "Changed",
        body: "Other text",
      },
    });
    expect(JSON.parse(results(events)[0]?.content ?? "")).toEqual({
      sent: true,
      to: "grace@example.com",
      subject: "Changed",
      body: "Other text",
    });
    agent.close();
  });

  test("book asks with a form, refuses an answer that does not fit it, and takes one that does", async () => {
    const agent = connect(bridge.ws, "demo");
    await say(agent, "book");
    const interrupt = only(agent.pendingInterrupts);
    expect(interrupt).toMatchObject({
      reason: "input_required",
      responseSchema: {
        type: "object",
        properties: {
          guests: { type: "integer", minimum: 1, maximum: 10 },
          date: { format: "date" },
          email: { format: "email" },
          seating: { enum: ["window", "garden", "bar"] },
        },
      },
    });
    expect(interrupt.toolCallId).toBeUndefined();
    const booking = {
      guests: 4,
      date: "2027-01-31",
      email: "ada@example.com",
      seating: "garden",
    };
    expect(await answer(agent, { ...booking, guests: 11 })).toMatchObject([
      {
        type: "RUN_ERROR",
        code: "resume_invalid_payload",
        message: expect.stringContaining("guests") as string,
      },
    ]);
    agent.pendingInterrupts = [interrupt];
    expect(text(await answer(agent, booking))).toContain('"guests":4');
    agent.close();
  });
});

describe("HttpAgent, unmodified, over HTTP and SSE", () => {
  test("hello, and email approved", async () => {
    const agent = new HttpAgent({ url: `${bridge.http}/v1/agents/demo/agui` });
    expect(text(await say(agent, "hello"))).toBe("Hello! How can I help you?");
    await say(agent, "email");
    const events = await answer(agent, { approved: true });
    expect(text(events)).toBe("I sent the email to ada@example.com.");
  });
});
