import { EventType } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/client";
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

import type { AISDKAgent } from "../src/aisdk-agent.js";
import { fleet, posted, startFleet, toolParts } from "../src/aisdk-fleet.js";
import type { Fleet } from "../src/aisdk-fleet.js";
import { pixel } from "../src/aisdk-model.js";
import {
  connect,
  only,
  results,
  run,
  say,
  text,
  types,
} from "../src/conversation.js";
import { failure, greeting, questions, thoughts } from "../src/scenario.js";

// Agents written with the AI SDK, of both majors, in each of the ways it offers, behind
// the bridge, with a real AG-UI client in front of it.

let all: Fleet;

beforeAll(async () => {
  all = await startFleet();
});

afterAll(async () => {
  await all.stop();
});

function customs(events: BaseEvent[], name: string): unknown[] {
  return events
    .filter(
      (event) =>
        event.type === EventType.CUSTOM &&
        (event as BaseEvent & { name: string }).name === name,
    )
    .map((event) => (event as BaseEvent & { value: unknown }).value);
}

/** The texts of the assistant's messages, one each. */
function texts(client: WebSocketAgent): unknown[] {
  return client.messages
    .filter((message) => message.role === "assistant")
    .map((message) => message.content)
    .filter((content) => content !== undefined && content !== "");
}

describe.each(fleet)("%s", (_, name, major) => {
  let agent: AISDKAgent;
  let client: WebSocketAgent;

  beforeEach(() => {
    agent = all.agent(name);
    agent.clear();
    client = connect(all.bridge.ws, name);
  });

  afterEach(() => {
    client.close();
  });

  /** What the run left to the application to run. */
  const left = (events: BaseEvent[]) =>
    (
      events.at(-1) as BaseEvent & {
        outcome?: { type: string; pendingToolCallIds?: string[] };
      }
    ).outcome;

  /** Gives a client tool's result, and runs on. */
  const give = (toolCallId: string, content: string) => {
    client.addMessage({ id: randomUUID(), role: "tool", toolCallId, content });
    return run(client);
  };

  test("text arrives piece by piece, and the request is what a chat would post", async () => {
    const events = await say(client, "hello");
    expect(
      events
        .filter((event) => event.type === EventType.TEXT_MESSAGE_CONTENT)
        .map((event) => (event as BaseEvent & { delta: string }).delta),
    ).toEqual(greeting);
    expect(left(events)).toEqual({ type: "success" });
    expect(agent.requests).toEqual([
      {
        id: client.threadId,
        trigger: "submit-message",
        messages: [
          {
            id: client.messages[0]?.id,
            role: "user",
            parts: [{ type: "text", text: "hello" }],
          },
        ],
      },
    ]);
  });

  test("message metadata and the usage in it travel", async () => {
    const events = await say(client, "hello");
    const of = (type: EventType): unknown =>
      (
        events.find((event) => event.type === type) as BaseEvent & {
          metadata?: Record<string, unknown>;
        }
      ).metadata?.["ai-sdk"];
    expect(of(EventType.RUN_STARTED)).toMatchObject({
      messageMetadata: { model: "mock" },
    });
    expect(of(EventType.RUN_FINISHED)).toMatchObject({
      messageMetadata: { usage: { totalTokens: 8 } },
    });
  });

  test("a server tool runs in the agent, once, and its result and what follows arrive", async () => {
    const events = await say(client, "auto");
    expect(agent.executed).toEqual([
      { tool: "look_up", input: { topic: "weather" } },
    ]);
    expect(results(events)).toMatchObject([
      { content: '{"done":true,"args":{"topic":"weather"}}' },
    ]);
    expect(text(events)).toBe("Done: look_up.");
  });

  test("an approval that nobody has to give does not stop the run", async () => {
    const events = await say(client, "auto");
    // ai 7 says that it approved on its own; ai 6 does not ask at all.
    expect(
      agent.sent.filter((chunk) => chunk.type === "tool-approval-request"),
    ).toMatchObject(major === 7 ? [{ isAutomatic: true }] : []);
    expect(left(events)).toEqual({ type: "success" });
    expect(client.pendingInterrupts).toEqual([]);
    expect(agent.requests).toHaveLength(1);
  });

  // ai 7 can deny on its own; for ai 6 a tool that may not run unasked is one to ask about.
  if (major === 7) {
    test("a denial that nobody gave runs nothing and does not stop the run", async () => {
      const events = await say(client, "veto");
      expect(agent.executed).toEqual([]);
      expect(left(events)).toEqual({ type: "success" });
      expect(results(events)).toHaveLength(1);
      expect(text(events)).toContain("never allowed");
    });
  }

  if (major === 7) {
    test("chunks that only ai 7 has arrive, and keep their place", async () => {
      const events = await say(client, "exotic");
      expect(customs(events, "ai-sdk/custom")).toMatchObject([
        { kind: "mock.note" },
      ]);
      expect(customs(events, "ai-sdk/reasoning-file")).toMatchObject([
        { mediaType: "image/png", url: `data:image/png;base64,${pixel}` },
      ]);
      expect(text(events)).toBe("It will rain.");
      expect(agent.errors).toEqual([]);
    });
  }

  test("preliminary outputs are no results: there is one, the last", async () => {
    const events = await say(client, "progress");
    expect(
      agent.sent.filter(
        (chunk) => chunk.type === "tool-output-available" && chunk.preliminary,
      ),
    ).toHaveLength(4);
    expect(results(events)).toMatchObject([
      { content: '{"status":"done","rows":3}' },
    ]);
    expect(
      customs(events, "ai-sdk/tool-output-available").map(
        (value) => (value as { output: unknown }).output,
      ),
    ).toContainEqual({ status: "importing", row: 2 });
    await say(client, "hello");
    expect(toolParts(agent.requests.at(-1)?.messages[1])).toMatchObject([
      { state: "output-available", output: { status: "done", rows: 3 } },
    ]);
  });

  test("the texts and calls of a run of several steps keep their order", async () => {
    const events = await say(client, "steps");
    expect(
      types(events).filter((type) =>
        [
          EventType.TEXT_MESSAGE_START,
          EventType.TOOL_CALL_START,
          EventType.TOOL_CALL_RESULT,
        ].includes(type as EventType),
      ),
    ).toEqual([
      "TEXT_MESSAGE_START",
      "TOOL_CALL_START",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
      "TOOL_CALL_START",
      "TOOL_CALL_RESULT",
      "TEXT_MESSAGE_START",
    ]);
    expect(texts(client)).toEqual(["First.", "Second.", "Third."]);
    expect(new Set(client.messages.map(({ id }) => id)).size).toBe(
      client.messages.length,
    );
    expect(agent.executed.map(({ input }) => input)).toEqual([
      { topic: "step 1" },
      { topic: "step 2" },
    ]);
  });

  test("the steps come back as one message with its parts in order", async () => {
    await say(client, "steps");
    await say(client, "hello");
    const [, steps, ...others] = agent.requests.at(-1)?.messages ?? [];
    expect(others).toHaveLength(1);
    expect(
      steps?.parts
        .filter((part) => part.type !== "step-start")
        .map((part) => (part.type === "text" ? part.text : part.type)),
    ).toEqual(["First.", "tool-look_up", "Second.", "tool-look_up", "Third."]);
    expect(agent.errors).toEqual([]);
  });

  test("a tool that throws gives an error result, and the run goes on", async () => {
    const events = await say(client, "broken");
    expect(results(events)).toMatchObject([
      { content: expect.stringContaining("the disk is full") as string },
    ]);
    expect(text(events)).toContain("the disk is full");
    expect(left(events)).toEqual({ type: "success" });
    await say(client, "hello");
    expect(toolParts(agent.requests.at(-1)?.messages[1])).toMatchObject([
      {
        state: "output-error",
        errorText: expect.stringContaining("the disk is full") as string,
      },
    ]);
  });

  test("a call whose input does not fit runs nothing, and the run goes on", async () => {
    const events = await say(client, "invalid");
    expect(agent.executed).toEqual([]);
    expect(results(events)[0]?.content).toContain("Invalid input");
    expect(text(events)).toContain("look_up failed");
    expect(left(events)).toEqual({ type: "success" });
  });

  test("a tool that the provider runs has its result, and asks nobody", async () => {
    const events = await say(client, "hosted");
    expect(results(events)).toMatchObject([{ content: '{"hits":2}' }]);
    expect(left(events)).toEqual({ type: "success" });
    expect(text(events)).toBe("I searched.");
  });

  test("a client tool is left to the application, and its result goes back to the call", async () => {
    const outcome = left(await say(client, "locate"));
    expect(outcome).toEqual({
      type: "success",
      pendingToolCallIds: [expect.any(String)],
    });
    const [callId = ""] = outcome?.pendingToolCallIds ?? [];
    const events = await give(callId, "Berlin");
    expect(toolParts(posted(agent))).toMatchObject([
      {
        type: "tool-get_location",
        toolCallId: callId,
        state: "output-available",
        input: {},
        output: "Berlin",
      },
    ]);
    expect(agent.requests.at(-1)?.messageId).toBe(posted(agent).id);
    expect(text(events)).toBe("The client tool returned: Berlin");
    expect(agent.executed).toEqual([]);
  });

  describe("a client tool that is none of those the application lists", () => {
    const clock = {
      name: "get_time",
      description: "Tells the time.",
      parameters: { type: "object", properties: {} },
    };
    const locate = () => {
      client.addMessage({ id: randomUUID(), role: "user", content: "locate" });
      return run(client, { tools: [clock] });
    };

    test("has failed, and the model goes on in the same run", async () => {
      const events = await locate();
      expect(left(events)).toEqual({ type: "success" });
      expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
        "RUN_STARTED",
        "RUN_FINISHED",
      ]);
      expect(results(events)[0]?.content).toContain(
        "no front end has this tool",
      );
      expect(text(events)).toContain("get_location failed: nobody was asked");
      expect(agent.requests).toHaveLength(2);
      expect(agent.errors).toEqual([]);
    });

    test("is called again in a later turn, and has failed again", async () => {
      await locate();
      const events = await locate();
      expect(results(events)).toHaveLength(1);
      expect(text(events)).toContain("get_location failed: nobody was asked");
      expect(agent.requests).toHaveLength(4);
      expect(agent.errors).toEqual([]);
    });
  });

  test.each([
    ["ask", "ask_user_question", questions, "The user declined to answer."],
    [
      "book",
      "request_input",
      { message: "Please complete your booking." },
      '{"action":"cancel"}',
    ],
  ])(
    "%s: a question is an interrupt, and what the person did is the output of its call",
    async (word, tool, input, told) => {
      await say(client, word);
      const { id: callId, responseSchema } = only(client.pendingInterrupts);
      expect(responseSchema).toMatchObject({ type: "object" });
      const call = client.messages
        .flatMap((message) =>
          message.role === "assistant" ? (message.toolCalls ?? []) : [],
        )
        .find(({ id }) => id === callId);
      expect(call?.function.name).toBe(tool);
      expect(JSON.parse(call?.function.arguments ?? "")).toMatchObject(input);
      const events = await run(client, {
        resume: [{ interruptId: callId, status: "cancelled" }],
      });
      expect(text(events)).toContain(`The client tool returned: ${told}`);
    },
  );

  describe("questions that nobody can be shown", () => {
    const why = "ask_user_question: the arguments are not valid: /questions";

    test("go back to the model, in the same run, and nobody is asked", async () => {
      const events = await say(client, "garble");
      expect(left(events)).toEqual({ type: "success" });
      expect(types(events).filter((type) => type.startsWith("RUN_"))).toEqual([
        "RUN_STARTED",
        "RUN_FINISHED",
      ]);
      expect(text(events)).toContain(why);
      expect(results(events)).toHaveLength(1);
      expect(results(events)[0]?.content).toContain(why);
      expect(agent.requests).toHaveLength(2);
      expect(agent.errors).toEqual([]);
    });

    test("may be asked better, and are then", async () => {
      await say(client, "rephrase");
      const { id } = only(client.pendingInterrupts);
      const events = await run(client, {
        resume: [{ interruptId: id, status: "cancelled" }],
      });
      expect(left(events)).toEqual({ type: "success" });
      expect(text(events)).toBe("Third.");
      expect(agent.requests).toHaveLength(3);
      expect(agent.errors).toEqual([]);
    });

    test("end the run when they come again", async () => {
      const events = await say(client, "insist");
      expect(left(events)).toEqual({ type: "success" });
      expect(client.pendingInterrupts).toEqual([]);
      expect(results(events)).toHaveLength(2);
      expect(agent.requests).toHaveLength(2);
      expect(text(await say(client, "hello"))).toBe(greeting.join(""));
      expect(agent.errors).toEqual([]);
    });
  });

  test("reasoning arrives apart from the text", async () => {
    const events = await say(client, "think");
    expect(
      events
        .filter((event) => event.type === EventType.REASONING_MESSAGE_CONTENT)
        .map((event) => (event as BaseEvent & { delta: string }).delta),
    ).toEqual(thoughts);
    expect(text(events)).toBe("I thought about it.");
  });

  test("sources arrive with all that they say", async () => {
    const events = await say(client, "sources");
    expect(customs(events, "ai-sdk/source-url")).toEqual([
      {
        type: "source-url",
        sourceId: "source-1",
        url: "https://example.com/weather",
        title: "Weather",
      },
    ]);
    expect(customs(events, "ai-sdk/source-document")).toEqual([
      {
        type: "source-document",
        sourceId: "source-2",
        mediaType: "application/pdf",
        title: "Almanac",
        filename: "almanac.pdf",
      },
    ]);
  });

  test("a file arrives as it was made", async () => {
    expect(customs(await say(client, "file"), "ai-sdk/file")).toEqual([
      {
        type: "file",
        mediaType: "image/png",
        url: `data:image/png;base64,${pixel}`,
      },
    ]);
  });

  test("a thousand deltas arrive, all and in order", async () => {
    const words = text(await say(client, "stream 1000"))
      .trim()
      .split(" ");
    expect(words).toHaveLength(1000);
    expect(words.every((word, i) => word === `word${String(i + 1)}`)).toBe(
      true,
    );
  });

  test("an error in the middle of the stream fails the run once, in the agent's words", async () => {
    const events = await say(client, "fail");
    expect(text(events)).toBe("This will not end well.");
    expect(
      events.filter((event) => event.type === EventType.RUN_ERROR),
    ).toMatchObject([{ message: failure }]);
    expect(types(events).at(-1)).toBe("RUN_ERROR");
    expect(types(events)).not.toContain("RUN_FINISHED");
    expect(text(await say(client, "hello"))).toBe(greeting.join(""));
  });

  test("a connection that breaks in the middle is a failed run, never a success", async () => {
    expect((await say(client, "drop")).at(-1)).toMatchObject({
      type: "RUN_ERROR",
      code: "upstream_truncated",
    });
    expect(text(await say(client, "hello"))).toBe(greeting.join(""));
  });

  test("stopping the run ends the agent's request, and the run is cancelled", async () => {
    client.subscribe({
      onTextMessageContentEvent: () => {
        client.abortRun();
      },
    });
    const events = await say(client, "slow 200");
    expect(left(events)).toEqual({ type: "cancelled" });
    await expect.poll(() => agent.aborted).toBe(1);
    const sent = agent.sent.length;
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(agent.sent.length).toBeLessThanOrEqual(sent + 1);
    expect(agent.executed).toEqual([]);
  });

  test("an agent that sends no finish and says that it is done has succeeded", async () => {
    const events = await say(client, "mute");
    expect(agent.sent.map((chunk) => chunk.type)).not.toContain("finish");
    expect(text(events)).toBe("You said: mute");
    expect(left(events)).toEqual({ type: "success" });
  });

  test("a conversation of many turns is one that the agent accepts", async () => {
    for (const word of ["hello", "auto", "think", "sources", "file"]) {
      await say(client, word);
    }
    expect(agent.errors).toEqual([]);
    expect(agent.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      ...Array.from({ length: 4 }, () => ["user", "assistant"]).flat(),
      "user",
    ]);
  });
});
