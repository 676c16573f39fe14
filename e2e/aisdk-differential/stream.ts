import type { Json, JsonObject } from "../differential/case.js";
import { object, some, text, value } from "../differential/random.js";
import type { Random } from "../differential/random.js";
import type { Major } from "./case.js";

/** Members that are there in some of the chunks only. */
export function optional(
  r: Random,
  percent: number,
  members: () => JsonObject,
): JsonObject {
  return r.chance(percent) ? members() : {};
}

/** Provider metadata: an object for each provider. */
export function providers(r: Random): JsonObject {
  const o: JsonObject = {};
  for (let i = r.below(3); i > 0; i--)
    o[r.pick(["acme", "", "ag-ui", "😀"])] = object(r, 2);
  return o;
}

export function metadata(r: Random): Json {
  if (r.chance(4)) return r.pick<Json>([null, 1, "ab", [1, 2], true, []]);
  const o = object(r, 3);
  if (r.chance(60)) o.usage = object(r, 2);
  return o;
}

function source(r: Random): JsonObject {
  return {
    type: "source",
    id: text(r),
    ...(r.chance(50)
      ? {
          sourceType: "url",
          url: "https://example.com/",
          ...optional(r, 40, () => ({ title: text(r) })),
        }
      : {
          sourceType: "document",
          mediaType: "text/plain",
          title: text(r),
          ...optional(r, 40, () => ({ filename: text(r) })),
        }),
    ...optional(r, 30, () => ({ providerMetadata: providers(r) })),
    ...optional(r, 10, () => ({ future: some(r) })),
  };
}

function citation(r: Random): JsonObject {
  return {
    source: source(r),
    ...optional(r, 50, () => ({ startIndex: r.below(9), endIndex: 9 })),
    ...optional(r, 40, () => ({ citedText: text(r) })),
    ...optional(r, 10, () => ({ future: some(r) })),
  };
}

function steered(r: Random): JsonObject {
  return r.chance(50)
    ? {
        type: "text",
        text: text(r),
        ...optional(r, 20, () => ({ future: some(r) })),
      }
    : {
        type: "file",
        mediaType: "image/png",
        url: "data:,",
        ...optional(r, 40, () => ({ providerReference: { acme: "f1" } })),
        ...optional(r, 40, () => ({ filename: text(r) })),
      };
}

interface Call {
  id: string;
  name: string;
  dynamic: boolean;
  streams: boolean;
}

/** A stream being written: all that decides what may come next. */
export class StreamWriter {
  readonly chunks: JsonObject[] = [];

  private texts: string[] = [];
  private thoughts: string[] = [];
  private calls: Call[] = [];
  private asked: string[] = [];
  private data: JsonObject[] = [];
  private ids = 0;
  private id: string;

  constructor(
    private readonly r: Random,
    private readonly major: Major,
    message: JsonObject | undefined,
  ) {
    this.id = (message?.id ?? "") as string;
    for (const part of (message?.parts ?? []) as JsonObject[]) {
      const type = part.type as string;
      if (type !== "dynamic-tool" && !type.startsWith("tool-")) continue;
      this.calls.push({
        id: part.toolCallId as string,
        name: (part.toolName as string | undefined) ?? type.slice(5),
        dynamic: type === "dynamic-tool",
        streams: false,
      });
      const approval = part.approval as JsonObject | undefined;
      if (approval !== undefined) this.asked.push(approval.id as string);
    }
  }

  private emit(type: string, members: JsonObject = {}): void {
    const future = optional(this.r, 2, () => ({ future: some(this.r) }));
    this.chunks.push({ type, ...members, ...future });
  }

  private fresh(prefix: string): string {
    if (this.r.chance(1)) return this.r.pick(["", "😀", "__proto__", "é"]);
    return `${prefix}-${String(++this.ids)}`;
  }

  private pm(percent = 12): JsonObject {
    return optional(this.r, percent, () => ({
      providerMetadata: providers(this.r),
    }));
  }

  private tool(call: Call, more: () => JsonObject = () => ({})): JsonObject {
    const r = this.r;
    return {
      toolCallId: call.id,
      toolName: call.name,
      ...more(),
      ...(call.dynamic
        ? { dynamic: true }
        : optional(r, 5, () => ({ dynamic: false }))),
      ...optional(r, 8, () => ({ title: text(r) })),
      ...this.outcome(),
    };
  }

  private outcome(): JsonObject {
    const r = this.r;
    return {
      ...optional(r, 8, () => ({ providerExecuted: r.chance(70) })),
      ...this.pm(10),
      ...optional(r, 8, () => ({ toolMetadata: object(r, 2) })),
    };
  }

  // --- what may come ---

  private readonly moves: Record<string, () => void> = {
    text: () => {
      const id =
        this.r.chance(5) && this.texts.length > 0
          ? this.r.pick(this.texts)
          : this.fresh("txt");
      this.texts.push(id);
      this.emit("text-start", { id, ...this.pm() });
    },
    textDelta: () => {
      const id = this.r.maybe(this.texts);
      if (id === undefined) return;
      this.emit("text-delta", { id, delta: text(this.r), ...this.pm(5) });
    },
    textEnd: () => {
      const id = this.r.maybe(this.texts);
      if (id === undefined) return;
      this.texts = this.texts.filter((t) => t !== id);
      const citations = optional(this.r, 15, () => ({
        citations: [citation(this.r), citation(this.r)],
      }));
      this.emit("text-end", { id, ...citations, ...this.pm() });
    },
    reasoning: () => {
      const id = this.fresh("rsn");
      this.thoughts.push(id);
      this.emit("reasoning-start", { id, ...this.pm() });
    },
    reasoningDelta: () => {
      const id = this.r.maybe(this.thoughts);
      if (id === undefined) return;
      this.emit("reasoning-delta", { id, delta: text(this.r), ...this.pm(5) });
    },
    reasoningEnd: () => {
      const id = this.r.maybe(this.thoughts);
      if (id === undefined) return;
      this.thoughts = this.thoughts.filter((t) => t !== id);
      this.emit("reasoning-end", { id, ...this.pm() });
    },
    callStream: () => {
      const call = this.call();
      call.streams = true;
      this.emit(
        "tool-input-start",
        this.tool(call, () =>
          optional(this.r, 20, () => ({
            inputEncoding: this.r.pick(["json", "json", "text"]),
          })),
        ),
      );
      if (this.r.chance(70)) this.deltas(call);
    },
    callDelta: () => {
      const call = this.r.maybe(this.calls.filter((c) => c.streams));
      if (call !== undefined) this.deltas(call);
    },
    callWhole: () => {
      const call = this.r.chance(60)
        ? (this.r.maybe(this.calls) ?? this.call())
        : this.call();
      this.emit(
        "tool-input-available",
        this.tool(call, () => ({ input: value(this.r, 2) })),
      );
    },
    callBad: () => {
      const call = this.r.chance(60)
        ? (this.r.maybe(this.calls) ?? this.call())
        : this.call();
      this.emit(
        "tool-input-error",
        this.tool(call, () => ({
          input: value(this.r, 2),
          errorText: text(this.r),
        })),
      );
    },
    output: () => {
      const call = this.r.maybe(this.calls);
      if (call === undefined) return;
      this.emit("tool-output-available", {
        toolCallId: call.id,
        output: value(this.r, 2),
        ...this.outcome(),
        ...optional(this.r, 25, () => ({ preliminary: this.r.chance(80) })),
        ...optional(this.r, 10, () => ({ dynamic: this.r.chance(50) })),
      });
    },
    outputError: () => {
      const call = this.r.maybe(this.calls);
      if (call === undefined) return;
      this.emit("tool-output-error", {
        toolCallId: call.id,
        errorText: text(this.r),
        ...this.outcome(),
      });
    },
    denied: () => {
      const call = this.r.maybe(this.calls);
      if (call !== undefined)
        this.emit("tool-output-denied", { toolCallId: call.id });
    },
    ask: () => {
      const call = this.r.maybe(this.calls);
      if (call === undefined) return;
      const r = this.r;
      const approvalId = this.fresh("apr");
      this.asked.push(approvalId);
      this.emit("tool-approval-request", {
        approvalId,
        toolCallId: call.id,
        ...optional(r, 20, () => ({ signature: text(r) })),
        ...optional(r, 20, () => ({ approvalDescriptor: value(r, 2) })),
        ...optional(r, 20, () => ({ inputSchemaInput: value(r, 2) })),
        ...optional(r, 25, () => ({ reason: text(r) })),
        ...optional(r, 20, () => ({ isAutomatic: r.chance(70) })),
      });
    },
    answer: () => {
      const approvalId = this.r.maybe(this.asked);
      if (approvalId === undefined) return;
      const r = this.r;
      this.emit("tool-approval-response", {
        approvalId,
        approved: r.chance(50),
        ...optional(r, 30, () => ({ reason: text(r) })),
        ...optional(r, 15, () => ({ providerExecuted: r.chance(50) })),
        ...this.pm(),
      });
    },
    data: () => {
      const r = this.r;
      const again = r.chance(40) ? r.maybe(this.data) : undefined;
      const head = again ?? {
        type: r.pick(["data-weather", "data-render", "data-", "data-tool-x"]),
        ...optional(r, 50, () => ({ id: this.fresh("d") })),
      };
      this.data.push(head);
      this.emit(head.type as string, {
        ...head,
        data: value(r, 2),
        ...optional(r, 20, () => ({ transient: r.chance(60) })),
        ...optional(r, 5, () => ({ state: some(r), text: "x" })),
      });
    },
    file: () => {
      const type =
        this.major === 7 && this.r.chance(40) ? "reasoning-file" : "file";
      this.emit(type, {
        url: text(this.r),
        mediaType: "image/png",
        ...this.pm(),
      });
    },
    sourceUrl: () => {
      this.emit("source-url", {
        sourceId: this.fresh("src"),
        url: "https://example.com",
        ...optional(this.r, 50, () => ({ title: text(this.r) })),
        ...this.pm(),
      });
    },
    sourceDocument: () => {
      this.emit("source-document", {
        sourceId: this.fresh("src"),
        mediaType: "text/plain",
        title: text(this.r),
        ...optional(this.r, 50, () => ({ filename: text(this.r) })),
        ...this.pm(),
      });
    },
    step: () => {
      this.emit("start-step");
    },
    stepEnd: () => {
      if (this.major === 6) this.closeAll();
      this.emit("finish-step");
    },
    metadata: () => {
      this.emit("message-metadata", { messageMetadata: metadata(this.r) });
    },
    start: () => {
      const named = this.r.chance(70);
      // Another id begins another message.
      if (named && this.id !== "msg-1") this.forget();
      if (named) this.id = "msg-1";
      this.emit("start", {
        ...(named ? { messageId: "msg-1" } : {}),
        ...optional(this.r, 30, () => ({ messageMetadata: metadata(this.r) })),
      });
    },
    abort: () => {
      this.emit("abort", {
        ...optional(this.r, 50, () => ({ reason: text(this.r) })),
      });
    },
    error: () => {
      this.emit("error", { errorText: text(this.r) });
    },
    reset: () => {
      this.forget();
      this.emit("reset-step");
    },
    custom: () => {
      this.emit("custom", {
        kind: this.r.pick(["acme.plan", "x"]),
        ...this.pm(),
      });
    },
    steering: () => {
      const parts: Json[] = [];
      for (let i = this.r.below(3); i > 0; i--) parts.push(steered(this.r));
      this.emit("steering-message", { id: this.fresh("st"), parts });
    },
  };

  private closeAll(): void {
    this.texts = [];
    this.thoughts = [];
  }

  private forget(): void {
    this.closeAll();
    this.calls = [];
    this.asked = [];
  }

  private call(): Call {
    const call = {
      id:
        this.r.chance(10) && this.calls.length > 0
          ? this.r.pick(this.calls).id
          : this.fresh("call"),
      name: this.r.pick(["send", "get-weather", "a:b c", ""]),
      dynamic: this.r.chance(25),
      streams: false,
    };
    this.calls.push(call);
    return call;
  }

  /** The input of a call, as it is torn into deltas. */
  private deltas(call: Call): void {
    const r = this.r;
    const whole = Array.from(
      r.chance(85) ? JSON.stringify(value(r, 3)) : text(r),
    );
    const pieces = r.below(4);
    for (let i = 0; i < pieces && whole.length > 0; i++) {
      const piece = whole.splice(0, 1 + r.below(whole.length));
      this.emit("tool-input-delta", {
        toolCallId: call.id,
        inputTextDelta: piece.join(""),
      });
    }
  }

  private weights(): [string, number][] {
    const common: [string, number][] = [
      ["text", 10],
      ["textDelta", 18],
      ["textEnd", 9],
      ["reasoning", 5],
      ["reasoningDelta", 8],
      ["reasoningEnd", 5],
      ["callStream", 10],
      ["callDelta", 8],
      ["callWhole", 12],
      ["callBad", 3],
      ["output", 9],
      ["outputError", 4],
      ["denied", 4],
      ["ask", 8],
      ["data", 7],
      ["file", 3],
      ["sourceUrl", 2],
      ["sourceDocument", 2],
      ["step", 9],
      ["stepEnd", 7],
      ["metadata", 4],
      ["start", 1],
      ["abort", 1],
      ["error", 1],
    ];
    if (this.major === 6) return common;
    return [
      ...common,
      ["answer", 7],
      ["reset", 2],
      ["custom", 2],
      ["steering", 2],
    ];
  }

  /** Writes a whole answer of about so many chunks. */
  write(length: number): void {
    const bag = this.weights().flatMap(([name, weight]) =>
      Array.from({ length: weight }, () => name),
    );
    if (this.r.chance(90)) this.moves.start?.();
    for (let i = 0; i < length; i++) this.moves[this.r.pick(bag)]?.();
    if (this.r.chance(80)) {
      this.emit("finish", {
        ...optional(this.r, 60, () => ({
          finishReason: this.r.pick([
            "stop",
            "length",
            "content-filter",
            "tool-calls",
            "error",
            "other",
            ...(this.major === 7 ? ["interrupted"] : []),
          ]),
        })),
        ...optional(this.r, 40, () => ({ messageMetadata: metadata(this.r) })),
      });
    }
  }
}
