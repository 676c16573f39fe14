import type { Interrupt } from "@ag-ui/client";
import type { WebSocketAgent } from "@agui-bridge/client";
import { randomUUID } from "node:crypto";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";

import { descriptor } from "../src/aisdk-agent.js";
import type { AISDKAgent, ChatBody } from "../src/aisdk-agent.js";
import {
  decided,
  fleet,
  held,
  posted,
  startFleet,
  toolParts,
} from "../src/aisdk-fleet.js";
import type { Fleet, ToolPart } from "../src/aisdk-fleet.js";
import { callSignature, reasoningSignature } from "../src/aisdk-model.js";
import {
  answer,
  connect,
  only,
  results,
  run,
  say,
  text,
  types,
} from "../src/conversation.js";
import { email } from "../src/scenario.js";

// Every agent here signs what it asks, and takes no approval that is not signed: the
// package itself verifies what the bridge brings back.

let all: Fleet;

beforeAll(async () => {
  all = await startFleet("a secret of the agent");
});

afterAll(async () => {
  await all.stop();
});

/** Changes the call that the last message of the body asks about. */
function forging(change: (part: ToolPart) => void): (body: ChatBody) => void {
  return (body) => {
    toolParts(body.messages.at(-1)).forEach(change);
  };
}

describe.each(fleet)("%s", (_, name, major, kind) => {
  let agent: AISDKAgent;
  let client: WebSocketAgent;

  beforeEach(() => {
    agent = all.agent(name);
    agent.clear();
    delete agent.forge;
    client = connect(all.bridge.ws, name);
  });

  afterEach(() => {
    client.close();
  });

  /** Answers the open interrupts, one decision each. */
  const decide = (...decisions: { approved: boolean; reason?: string }[]) =>
    run(client, {
      resume: client.pendingInterrupts.map((interrupt, i) => ({
        interruptId: interrupt.id,
        status: "resolved",
        payload: decisions[i],
      })),
    });

  test("the interrupt names the call, and offers a reason and no edits", async () => {
    await say(client, "email");
    const interrupt = only(client.pendingInterrupts);
    expect(interrupt).toMatchObject({
      reason: "tool_call",
      toolCallId: toolParts(await held(agent))[0]?.toolCallId,
      responseSchema: {
        required: ["approved"],
        properties: {
          approved: { type: "boolean" },
          reason: { type: "string" },
        },
      },
    });
    expect(interrupt.responseSchema).not.toHaveProperty(
      "properties.editedArgs",
    );
    expect(agent.executed).toEqual([]);
  });

  test("what is asked reaches the person in the agent's words, where it has any", async () => {
    await say(client, "delete");
    expect(only(client.pendingInterrupts).message).toBe(
      major === 7
        ? "Delete the database production?"
        : "Allow delete_database?",
    );
  });

  test("an approval comes back as the package's own chat would post it, to the last member", async () => {
    await say(client, "plan");
    const asked = await held(agent);
    await answer(client, { approved: true, reason: "fine" });
    expect(posted(agent)).toEqual(
      JSON.parse(
        JSON.stringify(decided(asked, [{ approved: true, reason: "fine" }])),
      ),
    );
    expect(agent.requests.at(-1)).toMatchObject({
      id: client.threadId,
      trigger: "submit-message",
      messageId: asked.id,
    });
  });

  test("signature, metadata of call and reasoning, and descriptor come back as they were", async () => {
    await say(client, "plan");
    await answer(client, { approved: true, reason: "fine" });
    const request = agent.sent.find(
      (chunk) => chunk.type === "tool-approval-request",
    );
    expect(request?.signature).toMatch(/^[\w-]{43}$/);
    expect(toolParts(posted(agent))).toMatchObject([
      {
        type: "tool-send_email",
        state: "approval-responded",
        input: email,
        callProviderMetadata: callSignature,
        approval: {
          id: request?.approvalId,
          approved: true,
          reason: "fine",
          signature: request?.signature,
          ...(kind === "createUIMessageStream" ? { descriptor } : {}),
        },
      },
    ]);
    expect(
      posted(agent).parts.find((part) => part.type === "reasoning"),
    ).toMatchObject({
      text: "A plan.",
      providerMetadata: reasoningSignature,
    });
  });

  test("a signed approval verifies, and the tool runs exactly once", async () => {
    await say(client, "email");
    const callId = only(client.pendingInterrupts).toolCallId;
    const events = await answer(client, { approved: true });
    expect(agent.errors).toEqual([]);
    expect(agent.executed).toEqual([{ tool: "send_email", input: email }]);
    expect(results(events)).toMatchObject([
      {
        toolCallId: callId,
        content: JSON.stringify({ sent: true, ...email }),
      },
    ]);
    expect(text(events)).toBe("I sent the email to ada@example.com.");
    expect(types(events)).not.toContain("TOOL_CALL_START");
    expect(agent.requests).toHaveLength(2);
  });

  test.each([
    [
      "another signature",
      forging((part) => {
        part.approval = {
          ...(part.approval ?? { id: "" }),
          signature: "A".repeat(43),
        };
      }),
    ],
    [
      "no signature",
      forging((part) => {
        delete part.approval?.["signature"];
      }),
    ],
    [
      "another input",
      forging((part) => {
        part.input = { ...email, to: "eve@example.com" };
      }),
    ],
  ])(
    "%s is refused by the agent, so that what the bridge brings back is the original",
    async (_name, forge) => {
      await say(client, "email");
      agent.forge = forge;
      const events = await answer(client, { approved: true });
      expect(agent.executed).toEqual([]);
      expect(types(events)).toContain("RUN_ERROR");
      expect(agent.errors.map(String).join()).toMatch(/signature/i);
    },
  );

  test("a denial executes nothing, and the model is told the reason", async () => {
    await say(client, "email");
    const callId = only(client.pendingInterrupts).toolCallId;
    const events = await answer(client, {
      approved: false,
      reason: "wrong Ada",
    });
    expect(agent.executed).toEqual([]);
    expect(toolParts(posted(agent))[0]?.approval).toMatchObject({
      approved: false,
      reason: "wrong Ada",
    });
    expect(text(events)).toBe(
      "You denied send_email, so I did not run it. Your reason: wrong Ada",
    );
    expect(results(events)).toMatchObject([
      {
        toolCallId: callId,
        content: expect.stringContaining("wrong Ada") as string,
      },
    ]);
  });

  test("of three approvals, those that were given run, once each, and the other does not", async () => {
    await say(client, "parallel");
    expect(client.pendingInterrupts).toHaveLength(3);
    const asked = await held(agent);
    const decisions = [
      { approved: true },
      { approved: false, reason: "not Grace" },
      { approved: true, reason: "it is old" },
    ];
    const events = await decide(...decisions);
    expect(posted(agent)).toEqual(
      JSON.parse(JSON.stringify(decided(asked, decisions))),
    );
    expect(agent.executed).toHaveLength(2);
    expect(agent.executed).toContainEqual({
      tool: "send_email",
      input: { to: "ada@example.com", subject: "One", body: "First" },
    });
    expect(agent.executed).toContainEqual({
      tool: "delete_database",
      input: { name: "staging" },
    });
    expect(new Set(results(events).map((r) => r.toolCallId)).size).toBe(3);
    expect(results(events)).toHaveLength(3);
    expect(text(events)).toContain("Your reason: not Grace");
    expect(agent.errors).toEqual([]);
  });

  test("answers that do not cover all three are refused, and nothing runs", async () => {
    await say(client, "parallel");
    const [first] = client.pendingInterrupts;
    client.pendingInterrupts = client.pendingInterrupts.slice(0, 1);
    const events = await run(client, {
      resume: [
        {
          interruptId: first?.id ?? "",
          status: "resolved",
          payload: { approved: true },
        },
      ],
    });
    expect(events).toMatchObject([
      { type: "RUN_ERROR", code: "resume_incomplete" },
    ]);
    expect(agent.requests).toHaveLength(1);
    expect(agent.executed).toEqual([]);
  });

  test("answers that come one by one, from elsewhere, go back together with the last", async () => {
    await say(client, "parallel");
    const asked = await held(agent);
    const decisions = [
      { approved: false, reason: "no" },
      { approved: true },
      { approved: true },
    ];
    for (const [i, { id }] of client.pendingInterrupts.entries()) {
      expect(agent.requests).toHaveLength(1);
      const response = await fetch(
        `${all.bridge.http}/v1/threads/${client.threadId}/requests/${id}`,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ decision: decisions[i] }),
        },
      );
      expect(response.status).toBe(200);
    }
    await expect.poll(() => agent.executed).toHaveLength(2);
    expect(agent.requests).toHaveLength(2);
    expect(posted(agent)).toEqual(
      JSON.parse(JSON.stringify(decided(asked, decisions))),
    );
    await expect
      .poll(() => agent.sent.filter(({ type }) => type === "finish"))
      .toHaveLength(2);
    expect(agent.errors).toEqual([]);
  });

  test.each([
    ["given", { approved: true }],
    ["denied", { approved: false, reason: "not now" }],
  ])(
    "a run that asks twice remembers what was first %s",
    async (_name, first) => {
      await say(client, "chain");
      const before = decided(await held(agent), [first]);
      const sent = agent.sent.length;
      await answer(client, first);
      const asked = await held(agent, sent, before);
      const second = { approved: true, reason: "fine" };
      const events = await answer(client, second);
      expect(posted(agent)).toEqual(
        JSON.parse(JSON.stringify(decided(asked, [second]))),
      );
      expect(agent.errors).toEqual([]);
      expect(text(events)).toBe("Fourth.");
      expect(agent.executed.map(({ tool }) => tool)).toEqual([
        "look_up",
        ...(first.approved ? ["send_email"] : []),
        "delete_database",
      ]);
      expect(
        client.messages
          .filter(({ role }) => role === "assistant")
          .map(({ content }) => content),
      ).toEqual(["First.", "Second.", "Third.", "Fourth."]);
    },
  );

  test("a tool that decides by its input whether it needs approval runs unasked", async () => {
    const events = await say(client, "scratch");
    expect(client.pendingInterrupts).toEqual([]);
    expect(agent.executed).toEqual([
      { tool: "delete_database", input: { name: "scratch" } },
    ]);
    expect(text(events)).toBe("Done: delete_database.");
  });

  test("a tool that throws after it was approved gives an error result", async () => {
    await say(client, "risky");
    const events = await answer(client, { approved: true });
    expect(agent.executed).toHaveLength(1);
    expect(results(events)).toMatchObject([
      { content: expect.stringContaining("it went wrong") as string },
    ]);
    expect(text(events)).toContain("it went wrong");
    await say(client, "hello");
    expect(toolParts(agent.requests.at(-1)?.messages[1])).toMatchObject([
      { state: "output-error" },
    ]);
  });

  test("preliminary outputs of a tool that was approved are no results either", async () => {
    await say(client, "migrate");
    const events = await answer(client, { approved: true });
    expect(
      agent.sent.filter(
        (chunk) => chunk.type === "tool-output-available" && chunk.preliminary,
      ),
    ).toHaveLength(2);
    expect(results(events)).toMatchObject([
      { content: '{"status":"migrating","row":2}' },
    ]);
    expect(text(events)).toBe("Done: migrate_data.");
  });

  test("a dynamic tool is asked about and comes back as one, with its title", async () => {
    await say(client, "dynamic");
    const asked = await held(agent);
    await answer(client, { approved: true });
    expect(posted(agent)).toEqual(
      JSON.parse(JSON.stringify(decided(asked, [{ approved: true }]))),
    );
    expect(toolParts(posted(agent))).toMatchObject([
      {
        type: "dynamic-tool",
        toolName: "from_elsewhere",
        state: "approval-responded",
      },
    ]);
    expect(agent.executed).toEqual([
      { tool: "from_elsewhere", input: { anything: [1, "two", null] } },
    ]);
  });

  test("an input that the tool's schema changes is approved as it was signed", async () => {
    await say(client, "note");
    await answer(client, { approved: true });
    expect(toolParts(posted(agent))[0]).toMatchObject({
      input: { text: "buy milk" },
      approval: { inputSchemaInput: { text: "  Buy MILK " } },
    });
    expect(agent.errors).toEqual([]);
    expect(agent.executed).toEqual([
      { tool: "write_note", input: { text: "buy milk" } },
    ]);
  });

  test("an approval beside a client tool waits for the person, and both answers go back at once", async () => {
    await say(client, "mixed");
    expect(agent.executed.map(({ tool }) => tool)).toEqual(["look_up"]);
    const call = toolParts(await held(agent)).find(
      ({ type }) => type === "tool-get_location",
    );
    const interrupt: Interrupt = only(client.pendingInterrupts);
    client.addMessage({
      id: randomUUID(),
      role: "tool",
      toolCallId: call?.toolCallId ?? "",
      content: "Berlin",
    });
    const events = await run(client, {
      resume: [
        {
          interruptId: interrupt.id,
          status: "resolved",
          payload: { approved: true },
        },
      ],
    });
    expect(agent.errors).toEqual([]);
    expect(
      toolParts(posted(agent)).map(({ type, state, output }) => [
        type,
        state,
        output,
      ]),
    ).toEqual([
      [
        "tool-look_up",
        "output-available",
        { done: true, args: { topic: "weather" } },
      ],
      ["tool-send_email", "approval-responded", undefined],
      ["tool-get_location", "output-available", "Berlin"],
    ]);
    expect(agent.executed.map(({ tool }) => tool)).toEqual([
      "look_up",
      "send_email",
    ]);
    expect(text(events)).toContain("The client tool returned: Berlin");
  });

  test("a client tool beside an approval that nobody runs fails alone, and the run goes on", async () => {
    await say(client, "mixed");
    const events = await decide({ approved: true });
    expect(agent.errors).toEqual([]);
    expect(types(events)).not.toContain("RUN_ERROR");
    expect(text(events)).toContain("get_location failed: Nobody ran this tool");
    expect(agent.executed.map(({ tool }) => tool)).toEqual([
      "look_up",
      "send_email",
    ]);
  });

  test("after approvals and denials the conversation goes on, and nothing runs again", async () => {
    await say(client, "email");
    await answer(client, { approved: true });
    await say(client, "delete");
    await answer(client, { approved: false, reason: "too risky" });
    await say(client, "email");
    await answer(client, { approved: true });
    const events = await say(client, "hello");
    expect(types(events)).not.toContain("RUN_ERROR");
    expect(agent.errors).toEqual([]);
    expect(agent.executed.map(({ tool }) => tool)).toEqual([
      "send_email",
      "send_email",
    ]);
    expect(
      agent.requests
        .at(-1)
        ?.messages.flatMap((message) => toolParts(message))
        .map(({ state }) => state),
    ).toEqual(["output-available", "output-denied", "output-available"]);
  });

  test("the same answer again joins the run it started, and nothing runs twice", async () => {
    await say(client, "email");
    const interrupt = only(client.pendingInterrupts);
    const resume = [
      {
        interruptId: interrupt.id,
        status: "resolved" as const,
        payload: { approved: true },
      },
    ];
    const other = connect(all.bridge.ws, name, client.threadId);
    const [first, again] = await Promise.all([
      run(client, { resume }),
      run(other, { resume }),
    ]);
    expect(again).toEqual(first);
    expect(agent.executed).toHaveLength(1);
    expect(agent.requests).toHaveLength(2);
    other.close();
  });
});
