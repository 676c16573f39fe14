import type { Json, JsonObject } from "./case.js";
import { object, some, text, value } from "./random.js";
import type { Random } from "./random.js";

/** Members that are there in some of the events only. */
export function optional(
  r: Random,
  percent: number,
  members: () => JsonObject,
): JsonObject {
  return r.chance(percent) ? members() : {};
}

export function metadata(r: Random): JsonObject {
  const o = object(r, 1);
  if (r.chance(50)) o[r.pick(["k", "usage", "ag-ui"])] = value(r, 2);
  return o;
}

/** What every event may carry. */
export function base(r: Random): JsonObject {
  return {
    ...optional(r, 5, () => ({
      timestamp: r.pick([0, -1, 1700000000000, 2 ** 53 - 1, -(2 ** 53 - 1)]),
    })),
    ...optional(r, 4, () => ({ rawEvent: some(r) })),
    ...optional(r, 15, () => ({ metadata: metadata(r) })),
  };
}

function source(r: Random): JsonObject {
  const type = r.pick(["data", "url", "file"]);
  return {
    type,
    value:
      type === "data"
        ? r.pick(["", "aGVsbG8="])
        : `https://example.com/${String(r.below(9))}`,
    ...(type === "data" || r.chance(60)
      ? { mimeType: r.pick(["image/png", "audio/wav", "application/pdf"]) }
      : {}),
    ...(type === "file" && r.chance(50) ? { provider: "acme" } : {}),
  };
}

function part(r: Random): JsonObject {
  const id = optional(r, 20, () => ({ id: `part-${String(r.below(5))}` }));
  if (r.chance(40)) return { type: "text", ...id, text: text(r) };
  return {
    type: r.pick(["image", "audio", "video", "document"]),
    ...id,
    source: source(r),
    ...optional(r, 30, () => ({ metadata: some(r) })),
  };
}

/** The retired shape of a part that is no text. */
function binary(r: Random): JsonObject {
  return {
    type: "binary",
    mimeType: r.pick([
      "image/png",
      "audio/wav",
      "video/mp4",
      "application/pdf",
      "text/plain",
    ]),
    ...r.pick<JsonObject>([
      { data: "aGk=" },
      { url: "https://example.com/x" },
      { data: "", url: "u" },
    ]),
    ...optional(r, 40, () => ({ filename: r.pick(["", "x.png"]) })),
    ...optional(r, 20, () => ({ id: "file-1" })),
  };
}

export function content(r: Random, retired = false): Json {
  if (r.chance(50)) return text(r);
  const parts: Json[] = [];
  for (let i = r.below(3); i >= 0; i--) {
    parts.push(retired && r.chance(50) ? binary(r) : part(r));
  }
  return parts;
}

function encrypted(r: Random): JsonObject {
  return optional(r, 15, () => ({
    encryptedValue: text(r),
    ...optional(r, 40, () => ({ encryptedValueType: "signature" })),
  }));
}

export function toolCall(r: Random, id: string): JsonObject {
  return {
    id,
    type: "function",
    function: {
      name: r.pick(["search", "write", ""]),
      arguments: r.pick(["", "{}", '{"q":"x"}', "{"]),
    },
    ...encrypted(r),
    ...optional(r, 15, () => ({ metadata: metadata(r) })),
  };
}

export const roles = [
  "user",
  "assistant",
  "developer",
  "system",
  "tool",
  "activity",
  "reasoning",
] as const;

/** A message of a history or a snapshot. */
export function message(
  r: Random,
  role: (typeof roles)[number],
  id: string,
  calls: string[],
  retired = false,
): JsonObject {
  const m: JsonObject = {
    id,
    role,
    ...optional(r, 12, () => ({ metadata: metadata(r) })),
  };
  if (role === "activity") {
    return {
      ...m,
      activityType: r.pick(["PLAN", "SEARCH"]),
      content: object(r, 3),
    };
  }
  Object.assign(m, encrypted(r));
  switch (role) {
    case "user":
      return { ...m, content: content(r, retired), ...named(r) };
    case "assistant":
      return {
        ...m,
        ...optional(r, 75, () => ({ content: text(r) })),
        ...named(r),
        ...(calls.length > 0 || r.chance(10)
          ? { toolCalls: calls.map((call) => toolCall(r, call)) }
          : {}),
      };
    case "tool":
      return {
        ...m,
        content: content(r, retired),
        toolCallId: r.maybe(calls) ?? "call-none",
        ...optional(r, 15, () => ({ error: text(r) })),
      };
    case "reasoning":
      return { ...m, content: text(r) };
    default:
      return { ...m, content: text(r), ...named(r) };
  }
}

function named(r: Random): JsonObject {
  return optional(r, 10, () => ({ name: r.pick(["Ada", ""]) }));
}

function tool(r: Random): JsonObject {
  return {
    name: r.pick(["search", "write"]),
    description: text(r),
    ...optional(r, 70, () => ({
      parameters: { type: "object", ...object(r, 1) },
    })),
    ...optional(r, 15, () => ({ metadata: metadata(r) })),
  };
}

/** The members of an input beside its ids, its messages and its state. */
export function inputExtras(r: Random): JsonObject {
  const tools: Json[] = [];
  for (let i = r.below(3); i > 0; i--) tools.push(tool(r));
  return {
    tools,
    context: r.chance(30) ? [{ description: text(r), value: text(r) }] : [],
    forwardedProps: r.chance(30) ? some(r) : {},
  };
}

export function usage(r: Random): JsonObject {
  return {
    ...optional(r, 70, () => ({ provider: "acme", model: "m-1" })),
    ...optional(r, 70, () => ({
      inputTokens: r.below(1000),
      outputTokens: r.below(1000),
    })),
    ...optional(r, 30, () => ({
      totalTokens: 2 ** 53 - 1,
      reasoningTokens: 0,
    })),
    ...optional(r, 30, () => ({
      cachedInputTokens: 1,
      cacheWriteInputTokens: 2,
    })),
  };
}

export function interrupt(r: Random, id: string): JsonObject {
  return {
    id,
    reason: r.pick([
      "tool_call",
      "input_required",
      "confirmation",
      "acme:other",
      "",
    ]),
    ...optional(r, 50, () => ({ message: text(r) })),
    ...optional(r, 30, () => ({ toolCallId: "call-1" })),
    ...optional(r, 30, () => ({
      responseSchema: { type: "object", ...object(r, 1) },
    })),
    ...optional(r, 20, () => ({
      expiresAt: r.pick(["2999-01-01T00:00:00Z", "soon"]),
    })),
    ...optional(r, 20, () => ({ metadata: metadata(r) })),
    ...optional(r, 20, () => ({ subagentRunId: "sub-1" })),
  };
}
