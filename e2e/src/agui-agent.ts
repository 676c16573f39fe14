import { EventType } from "@ag-ui/core";
import type { BaseEvent, Interrupt, Message, RunAgentInput } from "@ag-ui/core";
import { EventSchemas, RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";
import type { ServerResponse } from "node:http";

import type { Execution } from "./aisdk-tools.js";
import {
  bookingMessage,
  bookingSchema,
  count,
  failure,
  greeting,
  heard,
  outcomeOf,
  proposals,
  questions,
  refused,
  reported,
  thoughts,
  words,
} from "./scenario.js";
import { serve } from "./server.js";

export interface AGUIAgent {
  /** Where a client posts its input to. */
  url: string;
  /** The inputs received, in order. */
  requests: RunAgentInput[];
  /** The tools that ran. */
  executed: Execution[];
  /** How many requests their sender gave up. */
  aborted: number;
  /** Every event sent, in order. */
  sent: BaseEvent[];
  /** Forgets what was recorded. */
  clear(): void;
  close(): Promise<void>;
}

/** What the agent stopped to ask, and waits to hear about. */
interface Open {
  callId?: string;
  tool?: string;
  input?: unknown;
  threadId: string;
}

type Recorded = Omit<AGUIAgent, "url" | "close">;

/**
 * An agent of AG-UI behind an HTTP endpoint, written with the protocol's own packages: every
 * event passes their schema before it is sent. It asks with interrupts, remembers what it
 * asked, and goes on exactly once with each answer.
 */
export async function startAGUIAgent(
  options: { reusesIds?: boolean } = {},
): Promise<AGUIAgent> {
  const record: Recorded = {
    requests: [],
    executed: [],
    aborted: 0,
    sent: [],
    clear: () => {
      for (const list of [record.requests, record.executed, record.sent]) {
        list.length = 0;
      }
      record.aborted = 0;
    },
  };
  const open = new Map<string, Open>();
  const server = await serve(async (text, response) => {
    const input = RunAgentInputSchema.parse(JSON.parse(text)) as RunAgentInput;
    record.requests.push(structuredClone(input));
    const run = new Run(input, response, record, open, options);
    response.on("close", () => {
      if (!response.writableFinished) {
        record.aborted++;
      }
    });
    await run.play();
    response.end();
  });
  return Object.assign(record, {
    url: `http://${server.address}/agui`,
    close: () => server.close(),
  });
}

class Run {
  private readonly input: RunAgentInput;
  private readonly response: ServerResponse;
  private readonly record: Recorded;
  private readonly open: Map<string, Open>;
  private readonly encoder = new EventEncoder();
  private readonly said: Message[] = [];
  /** Whether calls, and what is asked about them, are named alike in every run. */
  private readonly reusesIds: boolean;
  private count = 0;
  private calls = 0;
  private state: unknown;

  constructor(
    input: RunAgentInput,
    response: ServerResponse,
    record: Recorded,
    open: Map<string, Open>,
    { reusesIds = false }: { reusesIds?: boolean },
  ) {
    this.reusesIds = reusesIds;
    this.input = input;
    this.response = response;
    this.record = record;
    this.open = open;
    this.state = input.state ?? {};
  }

  async play(): Promise<void> {
    this.response.writeHead(200, {
      "content-type": this.encoder.getContentType(),
    });
    this.emit({ type: EventType.RUN_STARTED, ...this.ids() });
    const { messages, resume = [] } = this.input;
    if (resume.length > 0) {
      this.goOn(resume);
      return;
    }
    const last = messages.at(-1);
    if (last?.role === "tool") {
      this.text(
        `The client tool returned: ${typeof last.content === "string" ? last.content : JSON.stringify(last.content)}`,
      );
      this.success();
      return;
    }
    const user = messages.findLast((message) => message.role === "user");
    const { word, rest, whole } = heard(
      typeof user?.content === "string" ? user.content : "",
    );
    if (word === "slow" || word === "drop") {
      await this.linger(word, count(rest));
      return;
    }
    this.scene(word, rest, whole);
  }

  private scene(word: string, rest: string, whole: string): void {
    const proposed = proposals[word];
    if (proposed !== undefined) {
      this.text(proposed.text);
      this.stop(
        proposed.calls.map(({ tool, input, ask }) =>
          this.approval(tool, input, ask),
        ),
      );
      return;
    }
    switch (word) {
      case "hello":
        this.text(...greeting);
        break;
      case "stream":
        this.text(...words(count(rest)));
        break;
      case "think":
        this.reasoning(...thoughts);
        this.text("I thought about it.");
        break;
      case "state":
        this.showState();
        break;
      case "locate": {
        this.text("Let me see where you are.");
        const callId = this.call("get_location", {});
        this.success([callId]);
        return;
      }
      case "ask":
        this.ask();
        return;
      case "book":
        this.text("I need some details for the booking.");
        this.stop([
          this.asks(this.newId("book"), bookingMessage, bookingSchema),
        ]);
        return;
      case "fail":
        this.text("This will not end well.");
        this.emit({ type: EventType.RUN_ERROR, message: failure });
        return;
      default:
        this.text(`You said: ${whole}`);
    }
    this.success();
  }

  private ask(): void {
    this.text("Two questions before I go on.");
    const callId = this.call("ask_user_question", questions);
    const properties = Object.fromEntries(
      questions.questions.map(({ header, question, options, ...more }) => {
        const one = {
          anyOf: [
            ...options.map(({ label }) => ({ const: label, title: label })),
            { type: "string" },
          ],
        };
        return [
          header,
          {
            title: header,
            description: question,
            ...("multi_select" in more ? { type: "array", items: one } : one),
          },
        ];
      }),
    );
    this.stop([
      this.asks(
        callId,
        questions.questions.map(({ header }) => header).join(" · "),
        { type: "object", properties, required: Object.keys(properties) },
        { callId, tool: "ask_user_question" },
      ),
    ]);
  }

  private showState(): void {
    this.emit({
      type: EventType.STATE_SNAPSHOT,
      snapshot: { steps: [], done: false },
    });
    this.emit({
      type: EventType.STATE_DELTA,
      delta: [{ op: "add", path: "/steps/-", value: "first" }],
    });
    this.emit({
      type: EventType.STATE_DELTA,
      delta: [
        { op: "add", path: "/steps/-", value: "second" },
        { op: "replace", path: "/done", value: true },
      ],
    });
    this.state = { steps: ["first", "second"], done: true };
    this.text("The state has two steps and is done.");
  }

  /** Streams slowly, or leaves its message half said. */
  private async linger(word: "slow" | "drop", n: number): Promise<void> {
    const messageId = this.newId("msg");
    this.emit({
      type: EventType.TEXT_MESSAGE_START,
      messageId,
      role: "assistant",
    });
    const pieces = word === "slow" ? words(n) : ["This message is not fin"];
    for (const delta of pieces) {
      if (this.response.destroyed) {
        return;
      }
      this.emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (word === "drop") {
      this.response.destroy();
      return;
    }
    this.emit({ type: EventType.TEXT_MESSAGE_END, messageId });
    this.success();
  }

  /** Goes on with what was answered: results first, then what there is to say. */
  private goOn(resume: NonNullable<RunAgentInput["resume"]>): void {
    const texts: string[] = [];
    for (const entry of resume) {
      const asked = this.open.get(entry.interruptId);
      if (asked?.threadId !== this.input.threadId) {
        this.emit({
          type: EventType.RUN_ERROR,
          message: `nothing is asked by the name of ${entry.interruptId}`,
        });
        return;
      }
      this.open.delete(entry.interruptId);
      texts.push(this.settle(asked, entry.status, entry.payload));
    }
    this.text(texts.join(" "));
    this.success();
  }

  private settle(asked: Open, status: string, payload: unknown): string {
    const { callId, tool } = asked;
    if (status === "cancelled") {
      if (callId !== undefined) {
        this.denied(callId, "The request was cancelled; nothing was decided.");
      }
      return "You gave the request up, so I did nothing.";
    }
    if (callId === undefined || tool === undefined) {
      return `Your booking is confirmed: ${JSON.stringify(payload)}`;
    }
    if (tool === "ask_user_question") {
      this.result(callId, JSON.stringify(payload));
      return `Thank you. You answered: ${JSON.stringify(payload)}`;
    }
    const { approved, reason, editedArgs } = payload as {
      approved: boolean;
      reason?: string;
      editedArgs?: unknown;
    };
    if (!approved) {
      this.denied(callId, reason);
      return refused(tool, reason);
    }
    const input = editedArgs ?? asked.input;
    this.record.executed.push({ tool, input });
    const output = outcomeOf(tool, input);
    this.result(callId, JSON.stringify(output));
    return reported(tool, output);
  }

  private approval(tool: string, input: unknown, message: string): Interrupt {
    const callId = this.call(tool, input);
    const id = `approve-${callId}`;
    this.open.set(id, { callId, tool, input, threadId: this.input.threadId });
    return {
      id,
      reason: "tool_call",
      message,
      toolCallId: callId,
      responseSchema: {
        type: "object",
        properties: {
          approved: { type: "boolean" },
          reason: { type: "string" },
          editedArgs: { type: "object" },
        },
        required: ["approved"],
      },
    };
  }

  private asks(
    id: string,
    message: string,
    responseSchema: Interrupt["responseSchema"],
    about: Omit<Open, "threadId"> = {},
  ): Interrupt {
    this.open.set(id, { ...about, threadId: this.input.threadId });
    return { id, reason: "input_required", message, responseSchema };
  }

  /** Stops the run; whoever resumes it finds all that was said in the snapshots. */
  private stop(interrupts: Interrupt[]): void {
    this.emit({ type: EventType.STATE_SNAPSHOT, snapshot: this.state });
    this.emit({
      type: EventType.MESSAGES_SNAPSHOT,
      messages: [...this.input.messages, ...this.said],
    });
    this.emit({
      type: EventType.RUN_FINISHED,
      ...this.ids(),
      outcome: { type: "interrupt", interrupts },
    });
  }

  private success(pendingToolCallIds?: string[]): void {
    this.emit({
      type: EventType.RUN_FINISHED,
      ...this.ids(),
      outcome: {
        type: "success",
        ...(pendingToolCallIds === undefined ? {} : { pendingToolCallIds }),
      },
    });
  }

  private text(...pieces: string[]): void {
    const messageId = this.newId("msg");
    this.emit({
      type: EventType.TEXT_MESSAGE_START,
      messageId,
      role: "assistant",
    });
    for (const delta of pieces) {
      this.emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta });
    }
    this.emit({ type: EventType.TEXT_MESSAGE_END, messageId });
    this.said.push({
      id: messageId,
      role: "assistant",
      content: pieces.join(""),
    });
  }

  private reasoning(...pieces: string[]): void {
    const messageId = this.newId("reasoning");
    this.emit({ type: EventType.REASONING_START, messageId });
    this.emit({
      type: EventType.REASONING_MESSAGE_START,
      messageId,
      role: "reasoning",
    });
    for (const delta of pieces) {
      this.emit({
        type: EventType.REASONING_MESSAGE_CONTENT,
        messageId,
        delta,
      });
    }
    this.emit({ type: EventType.REASONING_MESSAGE_END, messageId });
    this.emit({ type: EventType.REASONING_END, messageId });
    this.said.push({
      id: messageId,
      role: "reasoning",
      content: pieces.join(""),
    });
  }

  /** Makes a call, which belongs to the message that was said last. */
  private call(name: string, input: unknown): string {
    const toolCallId = this.reusesIds
      ? `call_${String(this.calls++)}`
      : this.newId("call");
    const json = JSON.stringify(input);
    const parent = this.said.at(-1);
    this.emit({
      type: EventType.TOOL_CALL_START,
      toolCallId,
      toolCallName: name,
      ...(parent === undefined ? {} : { parentMessageId: parent.id }),
    });
    this.emit({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: json });
    this.emit({ type: EventType.TOOL_CALL_END, toolCallId });
    if (parent?.role === "assistant") {
      parent.toolCalls = [
        ...(parent.toolCalls ?? []),
        {
          id: toolCallId,
          type: "function",
          function: { name, arguments: json },
        },
      ];
    }
    return toolCallId;
  }

  private denied(callId: string, reason: string | undefined): void {
    this.result(
      callId,
      `The user denied this tool call; it did not run.${reason === undefined ? "" : ` Reason: ${reason}`}`,
    );
  }

  private result(toolCallId: string, content: string): void {
    this.emit({
      type: EventType.TOOL_CALL_RESULT,
      messageId: this.newId("result"),
      toolCallId,
      content,
      role: "tool",
    });
  }

  private ids(): { threadId: string; runId: string } {
    return { threadId: this.input.threadId, runId: this.input.runId };
  }

  private newId(kind: string): string {
    return `${kind}-${this.input.runId}-${String(++this.count)}`;
  }

  private emit(
    event: { type: EventType } & { [member: string]: unknown },
  ): void {
    EventSchemas.parse(event);
    this.record.sent.push(event);
    this.response.write(this.encoder.encodeSSE(event));
  }
}
