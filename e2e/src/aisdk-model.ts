import type { Kit, ModelCall, StreamPart } from "./aisdk-kit.js";
import {
  bookingMessage,
  bookingSchema,
  count,
  email,
  failure,
  greeting,
  heard,
  proposals,
  questions,
  refused,
  reported,
  thoughts,
  words,
} from "./scenario.js";

/** What a provider hides in its reasoning and calls, and wants back as it was. */
export const reasoningSignature = { mock: { signature: "reasoned-c2ln" } };
export const callSignature = { mock: { thoughtSignature: "called-c2ln" } };

/** A picture of one pixel. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What became of a call, as the model is told. */
interface Result {
  tool: string;
  output: { type: string; value?: unknown; reason?: string };
}

/** Model calls take their ids from here: no two calls of an agent have the same. */
export type NewCallId = () => string;

interface Reply {
  parts: StreamPart[];
  /** Milliseconds before each delta. */
  pause?: number;
  /** Says no more after the last part, and does not end either. */
  hangs?: boolean;
}

/**
 * Plays the model: it reads the prompt as a model would, finds what the user said last and
 * what became of the calls it made since, and says the next thing of that scenario.
 */
export function play(
  kit: Kit,
  call: ModelCall,
  newCallId: NewCallId,
): ReadableStream<StreamPart> {
  const { text, results } = read(call.prompt);
  const reply = new Lines(kit, newCallId).reply(text, results);
  return paced(reply, call.abortSignal);
}

/** Streams the parts, and breaks off when the call is aborted, as a provider's fetch does. */
function paced(
  { parts, pause = 0, hangs = false }: Reply,
  signal: AbortSignal | undefined,
): ReadableStream<StreamPart> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      const part = parts[next++];
      if (part?.type === "text-delta" && pause > 0) {
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      if (part === undefined && hangs && signal?.aborted !== true) {
        await new Promise((resolve) => {
          signal?.addEventListener("abort", resolve);
        });
      }
      if (signal?.aborted === true) {
        controller.error(signal.reason);
      } else if (part === undefined) {
        controller.close();
      } else {
        controller.enqueue(part);
      }
    },
  });
}

function read(prompt: ModelCall["prompt"]): {
  text: string;
  results: Result[];
} {
  const from = prompt.findLastIndex((message) => message.role === "user");
  const user = prompt[from];
  const text =
    user?.role === "user"
      ? user.content.map((p) => (p.type === "text" ? p.text : "")).join("")
      : "";
  const results: Result[] = [];
  for (const message of prompt.slice(from + 1)) {
    if (message.role !== "tool") {
      continue;
    }
    for (const part of message.content) {
      if (part.type === "tool-result") {
        results.push({
          tool: part.toolName,
          output: part.output as Result["output"],
        });
      }
    }
  }
  return { text, results };
}

type Call = [tool: string, input: unknown];

/** Scenarios of one call a step; each step begins when the last call has its result. */
const stepwise: Record<string, Call[]> = {
  rephrase: [
    ["ask_user_question", { questions: [] }],
    ["ask_user_question", questions],
  ],
  insist: [
    ["ask_user_question", { questions: [] }],
    ["ask_user_question", { questions: [] }],
  ],
  steps: [
    ["look_up", { topic: "step 1" }],
    ["look_up", { topic: "step 2" }],
  ],
  chain: [
    ["look_up", { topic: "step 1" }],
    ["send_email", email],
    ["delete_database", { name: "production" }],
  ],
};

/** Scenarios of one call and what became of it. */
const single: Record<string, Call> = {
  auto: ["look_up", { topic: "weather" }],
  scratch: ["delete_database", { name: "scratch" }],
  veto: ["format_disk", { disk: "sda" }],
  progress: ["import_data", { rows: 3 }],
  migrate: ["migrate_data", { rows: 2 }],
  broken: ["broken_tool", {}],
  risky: ["risky_tool", {}],
  invalid: ["look_up", { topic: 7 }],
  garble: ["ask_user_question", { questions: [] }],
  note: ["write_note", { text: "  Buy MILK " }],
  dynamic: ["from_elsewhere", { anything: [1, "two", null] }],
};

class Lines {
  private parts: StreamPart[] = [{ type: "stream-start", warnings: [] }];
  private readonly kit: Kit;
  private readonly newCallId: NewCallId;

  constructor(kit: Kit, newCallId: NewCallId) {
    this.kit = kit;
    this.newCallId = newCallId;
  }

  reply(message: string, results: Result[]): Reply {
    const { word, rest, whole } = heard(message);
    const calls = stepwise[word];
    if (calls !== undefined) {
      return { parts: this.step(results.length, calls) };
    }
    if (results.length > 0) {
      return { parts: this.text(results.map(closing).join(" ")).end() };
    }
    switch (word) {
      case "slow":
        return { parts: this.text(...words(count(rest))).end(), pause: 100 };
      case "drop":
        return { parts: this.half("This message is not fin"), hangs: true };
    }
    return { parts: this.scene(word, rest, whole) };
  }

  private scene(word: string, rest: string, whole: string): StreamPart[] {
    switch (word) {
      case "hello":
        return this.text(...greeting).end();
      case "stream":
        return this.text(...words(count(rest))).end();
      case "think":
        return this.reason(...thoughts)
          .text("I thought about it.")
          .end();
      case "state":
        return this.text("The state has two steps and is done.").end();
      case "plan":
        return this.reason("A plan.")
          .text("This is my plan.")
          .call("send_email", email)
          .end("tool-calls");
      case "locate":
        return this.text("Let me see where you are.")
          .call("get_location", {})
          .end("tool-calls");
      case "ask":
        return this.text("Two questions before I go on.")
          .call("ask_user_question", questions)
          .end("tool-calls");
      case "book":
        return this.text("I need some details for the booking.")
          .call("request_input", {
            message: bookingMessage,
            requestedSchema: bookingSchema,
          })
          .end("tool-calls");
      case "fail":
        this.text("This will not end well.");
        return [...this.parts, { type: "error", error: new Error(failure) }];
      default:
        return this.propose(word, whole);
    }
  }

  private propose(word: string, whole: string): StreamPart[] {
    const proposed = proposals[word];
    if (proposed === undefined) {
      return this.more(word, whole);
    }
    this.text(proposed.text);
    for (const { tool, input } of proposed.calls) {
      this.call(tool, input);
    }
    return this.end("tool-calls");
  }

  /** Scenarios that the demo agents do not have. */
  private more(word: string, whole: string): StreamPart[] {
    const one = single[word];
    if (one !== undefined) {
      return this.call(...one).end("tool-calls");
    }
    switch (word) {
      case "mixed":
        return this.text("All kinds at once.")
          .call("look_up", { topic: "weather" })
          .call("send_email", email)
          .call("get_location", {})
          .end("tool-calls");
      case "hosted":
        return this.hosted();
      case "sources":
        return this.sources();
      case "file":
        this.text("Here is a picture.");
        this.parts.push(this.kit.file("image/png", pixel));
        return this.end();
      case "exotic":
        return this.exotic();
      default:
        return this.text(`You said: ${whole}`).end();
    }
  }

  /** Text and a call in each step, and a text at the end. */
  private step(done: number, calls: Call[]): StreamPart[] {
    this.text(["First.", "Second.", "Third.", "Fourth."][done] ?? "Done.");
    const next = calls[done];
    return next === undefined
      ? this.end()
      : this.call(...next).end("tool-calls");
  }

  /** A tool that the provider itself runs: call and result come from the model. */
  private hosted(): StreamPart[] {
    const toolCallId = this.newCallId();
    this.parts.push(
      {
        type: "tool-call",
        toolCallId,
        toolName: "web_search",
        input: '{"query":"weather"}',
        providerExecuted: true,
        dynamic: true,
      },
      {
        type: "tool-result",
        toolCallId,
        toolName: "web_search",
        result: { hits: 2 },
        dynamic: true,
      },
    );
    return this.text("I searched.").end();
  }

  /** What only ai 7 has. */
  private exotic(): StreamPart[] {
    const source = {
      type: "source" as const,
      sourceType: "url" as const,
      id: "source-1",
      url: "https://example.com/weather",
    };
    this.parts.push(
      { type: "custom", kind: "mock.note", providerMetadata: callSignature },
      {
        type: "reasoning-file",
        mediaType: "image/png",
        data: { type: "data", data: pixel },
      },
      { type: "text-start", id: "text" },
      { type: "text-delta", id: "text", delta: "It will rain." },
      {
        type: "text-end",
        id: "text",
        citations: [{ source, citedText: "rain" }],
      },
    );
    return this.end();
  }

  private sources(): StreamPart[] {
    this.text("As these say.");
    this.parts.push(
      {
        type: "source",
        sourceType: "url",
        id: "source-1",
        url: "https://example.com/weather",
        title: "Weather",
      },
      {
        type: "source",
        sourceType: "document",
        id: "source-2",
        mediaType: "application/pdf",
        title: "Almanac",
        filename: "almanac.pdf",
      },
    );
    return this.end();
  }

  // Providers count their parts anew in every step, so the same ids come again.

  private text(...pieces: string[]): this {
    this.parts.push({ type: "text-start", id: "text" });
    for (const delta of pieces) {
      this.parts.push({ type: "text-delta", id: "text", delta });
    }
    this.parts.push({ type: "text-end", id: "text" });
    return this;
  }

  private half(delta: string): StreamPart[] {
    this.parts.push(
      { type: "text-start", id: "text" },
      { type: "text-delta", id: "text", delta },
    );
    return this.parts;
  }

  private reason(...pieces: string[]): this {
    this.parts.push({ type: "reasoning-start", id: "reasoning" });
    for (const delta of pieces) {
      this.parts.push({ type: "reasoning-delta", id: "reasoning", delta });
    }
    this.parts.push({
      type: "reasoning-end",
      id: "reasoning",
      providerMetadata: reasoningSignature,
    });
    return this;
  }

  private call(toolName: string, input: unknown): this {
    const id = this.newCallId();
    const json = JSON.stringify(input);
    this.parts.push({ type: "tool-input-start", id, toolName });
    for (const delta of [json.slice(0, 5), json.slice(5)]) {
      if (delta !== "") {
        this.parts.push({ type: "tool-input-delta", id, delta });
      }
    }
    this.parts.push(
      { type: "tool-input-end", id },
      {
        type: "tool-call",
        toolCallId: id,
        toolName,
        input: json,
        providerMetadata: callSignature,
      },
    );
    return this;
  }

  private end(unified: "stop" | "tool-calls" = "stop"): StreamPart[] {
    this.parts.push({
      type: "finish",
      finishReason: { unified, raw: undefined },
      usage: {
        inputTokens: {
          total: 3,
          noCache: 3,
          cacheRead: undefined,
          cacheWrite: undefined,
        },
        outputTokens: { total: 5, text: 5, reasoning: undefined },
      },
    });
    return this.parts;
  }
}

/** What the model says when it has seen what became of a call. */
function closing({ tool, output }: Result): string {
  switch (output.type) {
    case "execution-denied":
      return refused(tool, output.reason);
    case "error-text":
      return `${tool} failed: ${String(output.value)}`;
    case "error-json":
      return `${tool} failed: ${JSON.stringify(output.value)}`;
  }
  if (["get_location", "ask_user_question", "request_input"].includes(tool)) {
    return `The client tool returned: ${typeof output.value === "string" ? output.value : JSON.stringify(output.value)}`;
  }
  return reported(tool, output.value);
}
