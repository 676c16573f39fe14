import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBridge } from "../src/bridge.js";
import type { Bridge } from "../src/bridge.js";
import { fronts, openChat } from "../src/chat.js";
import type { TestChat } from "../src/chat.js";

// The published chats of both majors, on their published transports, against the built
// bridge and its demo agents. Every chat posts by itself when either predicate says so: one
// that posts more often than its turns need would not stop.

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
  const open = (more: Partial<Parameters<typeof openChat>[0]> = {}) =>
    openChat({ front: front, base: bridge.http, agent, ...more });

  /** Says something, waits until all is quiet, and checks what holds for every chat. */
  async function after(
    chat: TestChat,
    act: () => Promise<void>,
    sends: number,
  ) {
    await act();
    await chat.settled();
    expect(chat.error()).toBeUndefined();
    expect(chat.sends()).toBe(sends);
    await chat.valid();
  }

  test("hello is greeted", async () => {
    const chat = open();
    await after(chat, () => chat.say("hello"), 1);
    expect(chat.text()).toBe("Hello! How can I help you?");
    expect(chat.messages().map((m) => m.role)).toEqual(["user", "assistant"]);
    chat.close();
  });

  test("turns follow each other", async () => {
    const chat = open();
    await after(chat, () => chat.say("hello"), 1);
    await after(chat, () => chat.say("one more thing"), 2);
    expect(chat.text()).toContain("one more thing");
    expect(chat.messages()).toHaveLength(4);
    chat.close();
  });

  test("an approved call runs once, in the same message", async () => {
    const chat = open();
    await after(chat, () => chat.say("email"), 1);
    const asked = chat.tool("send_email");
    expect(asked.state).toBe("approval-requested");
    await after(chat, () => chat.decide(asked.approval?.id, true), 2);
    const ran = chat.tool("send_email");
    expect(ran.state).toBe("output-available");
    expect(ran.output).toMatchObject({ sent: true, to: "ada@example.com" });
    expect(ran.approval).toMatchObject({ approved: true });
    expect(chat.text()).toContain("I sent the email to ada@example.com.");
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("a denied call does not run, and its reason is told", async () => {
    const chat = open();
    await after(chat, () => chat.say("email"), 1);
    const asked = chat.tool("send_email");
    await after(
      chat,
      () => chat.decide(asked.approval?.id, false, "not now"),
      2,
    );
    const denied = chat.tool("send_email");
    expect(denied.state).toBe("output-denied");
    expect(denied.approval).toMatchObject({
      approved: false,
      reason: "not now",
    });
    expect(chat.text()).toContain("not now");
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("three approvals at once, decided one by one", async () => {
    const chat = open();
    await after(chat, () => chat.say("parallel"), 1);
    const asked = chat.parts().filter((part) => part.approval !== undefined);
    expect(asked).toHaveLength(3);
    await chat.decide(asked[0]?.approval?.id, true);
    await chat.decide(asked[1]?.approval?.id, false, "no");
    await after(chat, () => chat.decide(asked[2]?.approval?.id, true), 2);
    expect(
      chat
        .parts()
        .filter((part) => part.approval !== undefined)
        .map((part) => part.state),
    ).toEqual(["output-available", "output-denied", "output-available"]);
    chat.close();
  });

  test("decisions that are sent one by one wait for each other", async () => {
    const chat = open({ automatic: "never" });
    await after(chat, () => chat.say("parallel"), 1);
    const asked = chat.parts().filter((part) => part.approval !== undefined);
    let sends = 1;
    for (const part of asked) {
      await chat.decide(part.approval?.id, true);
      await after(chat, () => chat.send(), ++sends);
    }
    expect(
      chat
        .parts()
        .filter((part) => part.approval !== undefined)
        .map((part) => part.state),
    ).toEqual(["output-available", "output-available", "output-available"]);
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("a form is filled in", async () => {
    const chat = open();
    await after(chat, () => chat.say("book"), 1);
    const form = chat.tool("request_input");
    expect(form.state).toBe("input-available");
    expect(form.input).toMatchObject({
      requestedSchema: {
        properties: { seating: { enum: ["window", "garden", "bar"] } },
      },
    });
    const hint = chat.parts().find((part) => part.type === "data-render");
    expect(hint?.data).toMatchObject({
      toolCallId: form.toolCallId,
      render: { kind: "elicitation" },
    });
    const content = {
      guests: 2,
      date: "2030-01-02",
      email: "ada@example.com",
      seating: "garden",
    };
    await after(
      chat,
      () => chat.answer(form.toolCallId, { action: "accept", content }),
      2,
    );
    expect(chat.text()).toContain("Your booking is confirmed");
    expect(chat.text()).toContain("garden");
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("a form that is declined", async () => {
    const chat = open();
    await after(chat, () => chat.say("book"), 1);
    const form = chat.tool("request_input");
    await after(
      chat,
      () => chat.answer(form.toolCallId, { action: "decline" }),
      2,
    );
    expect(chat.text()).not.toContain("confirmed");
    chat.close();
  });

  test("a form that is filled in wrongly is refused, and can be corrected", async () => {
    const chat = open();
    await after(chat, () => chat.say("book"), 1);
    const form = chat.tool("request_input");
    const content = {
      guests: 99,
      date: "2030-01-02",
      email: "ada@example.com",
      seating: "garden",
    };
    await chat.answer(form.toolCallId, { action: "accept", content });
    await chat.settled();
    expect(chat.error()?.message).toContain("guests");
    content.guests = 3;
    await chat.answer(form.toolCallId, { action: "accept", content });
    await chat.settled();
    expect(chat.text()).toContain("Your booking is confirmed");
    chat.close();
  });

  test("questions are answered, also in own words", async () => {
    const chat = open();
    await after(chat, () => chat.say("ask"), 1);
    const asked = chat.tool("ask_user_question");
    const { questions } = asked.input as {
      questions: {
        header: string;
        options: { label: string }[];
        multi_select?: boolean;
      }[];
    };
    expect(questions).toHaveLength(2);
    const content = Object.fromEntries(
      questions.map((q) => [
        q.header,
        q.multi_select === true ? [q.options[0]?.label] : "in my own words",
      ]),
    );
    await after(
      chat,
      () => chat.answer(asked.toolCallId, { action: "accept", content }),
      2,
    );
    expect(chat.text()).toContain("in my own words");
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("a client tool runs in the browser", async () => {
    const chat = open();
    await after(chat, () => chat.say("locate"), 1);
    const call = chat.tool("get_location");
    expect(call.state).toBe("input-available");
    await after(chat, () => chat.answer(call.toolCallId, "Berlin"), 2);
    expect(chat.text()).toContain("Berlin");
    expect(chat.messages()).toHaveLength(2);
    chat.close();
  });

  test("a client tool that fails", async () => {
    const chat = open();
    await after(chat, () => chat.say("locate"), 1);
    const call = chat.tool("get_location");
    await after(chat, () => chat.fail(call.toolCallId, "no GPS"), 2);
    expect(chat.text()).toContain("no GPS");
    chat.close();
  });

  test("reasoning, state and many words arrive", async () => {
    const chat = open();
    await after(chat, () => chat.say("think"), 1);
    expect(chat.parts().some((part) => part.type === "reasoning")).toBe(true);
    await after(chat, () => chat.say("state"), 2);
    expect(chat.parts().some((part) => part.type.startsWith("data-"))).toBe(
      true,
    );
    await after(chat, () => chat.say("stream 500"), 3);
    expect(chat.text().length).toBeGreaterThan(500);
    chat.close();
  });

  test("a run that fails, and one that breaks off", async () => {
    const chat = open();
    await chat.say("fail");
    await chat.settled();
    expect(chat.status()).toBe("error");
    expect(chat.error()?.message).not.toBe("");
    await chat.say("drop");
    await chat.settled();
    expect(chat.status()).toBe("error");
    expect(chat.error()?.message).toContain("upstream_truncated");
    await chat.say("hello");
    await chat.settled();
    expect(chat.text()).toBe("Hello! How can I help you?");
    chat.close();
  });

  test("another answer to the same message", async () => {
    const chat = open();
    await after(chat, () => chat.say("hello"), 1);
    const first = chat.messages().at(-1)?.id;
    await after(chat, () => chat.regenerate(), 2);
    expect(chat.text()).toBe("Hello! How can I help you?");
    expect(chat.messages()).toHaveLength(2);
    expect(chat.messages().at(-1)?.id).not.toBe(first);
    chat.close();
  });

  test("a message over an open approval gives it up", async () => {
    const chat = open();
    await after(chat, () => chat.say("delete"), 1);
    const asked = chat.tool("delete_database");
    await after(chat, () => chat.say("hello"), 2);
    expect(chat.text()).toBe("Hello! How can I help you?");
    const thread = (await (
      await fetch(`${bridge.http}/v1/threads/${chat.id}`)
    ).json()) as { phase: string; journal: { requestId: string }[] };
    expect(thread.phase).toBe("idle");
    expect(thread.journal.map((entry) => entry.requestId)).toEqual([
      asked.approval?.id,
    ]);
    chat.close();
  });
});
