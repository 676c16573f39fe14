import type { Json, JsonObject } from "../differential/case.js";
import { clone, isObject } from "../differential/case.js";
import { some, value } from "../differential/random.js";
import type { Random } from "../differential/random.js";
import type { Case } from "./case.js";

type Change = (r: Random, chunks: Json[]) => boolean;

function put(at: JsonObject, name: string, v: Json): void {
  Object.defineProperty(at, name, {
    value: v,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function anObject(r: Random, chunks: Json[]): JsonObject | undefined {
  const found: JsonObject[] = [];
  const walk = (v: Json, deep: boolean) => {
    if (Array.isArray(v))
      v.forEach((child) => {
        walk(child, deep);
      });
    else if (isObject(v)) {
      found.push(v);
      if (deep)
        Object.values(v).forEach((child) => {
          walk(child, deep);
        });
    }
  };
  const deep = r.chance(40);
  chunks.forEach((chunk) => {
    walk(chunk, deep);
  });
  return r.maybe(found);
}

function aMember(r: Random, chunks: Json[]) {
  const at = anObject(r, chunks);
  const name = at === undefined ? undefined : r.maybe(Object.keys(at));
  return at === undefined || name === undefined ? undefined : { at, name };
}

/** A change of the value of one member somewhere. */
function changed(v: (r: Random, old: Json) => Json): Change {
  return (r, chunks) => {
    const found = aMember(r, chunks);
    if (found === undefined) return false;
    put(found.at, found.name, v(r, found.at[found.name] as Json));
    return true;
  };
}

const inserted: Json[] = [
  { type: "future-chunk", x: 1 },
  { type: "" },
  { type: "TEXT-START", id: "a" },
  { type: "text-delta", id: "nobody", delta: "x" },
  { type: "text-delta", id: "txt-1", delta: "late" },
  { type: "text-end", id: "txt-1" },
  { type: "text-start", id: "txt-1" },
  { type: "reasoning-end", id: "rsn-1" },
  { type: "tool-input-delta", toolCallId: "call-1", inputTextDelta: "{" },
  { type: "tool-input-delta", toolCallId: "nobody", inputTextDelta: "{" },
  { type: "tool-output-available", toolCallId: "call-1", output: 1 },
  { type: "tool-output-available", toolCallId: "nobody", output: 1 },
  { type: "tool-output-denied", toolCallId: "call-1" },
  { type: "tool-output-denied", toolCallId: "old-1" },
  { type: "tool-approval-request", toolCallId: "old-1", approvalId: "a" },
  { type: "tool-approval-response", approvalId: "apr-1", approved: true },
  { type: "tool-approval-response", approvalId: "nobody", approved: true },
  {
    type: "tool-approval-response",
    approvalId: "old-approval-1",
    approved: false,
  },
  { type: "start", messageId: "msg-1" },
  { type: "start", messageId: "msg-2" },
  { type: "start" },
  { type: "finish", finishReason: "interrupted" },
  { type: "finish", finishReason: "unknown" },
  { type: "finish" },
  { type: "reset-step" },
  { type: "custom", kind: "acme.x" },
  { type: "reasoning-file", url: "u", mediaType: "m" },
  { type: "steering-message", id: "s", parts: [{ type: "tool" }] },
  { type: "steering-message", id: "s", parts: [] },
  { type: "start-step" },
  { type: "finish-step" },
  { type: "abort" },
  { type: "error", errorText: "" },
  { type: "message-metadata", messageMetadata: [3, 4] },
  { type: "message-metadata", messageMetadata: "xyz" },
  {
    type: "message-metadata",
    messageMetadata: { constructor: 1, a: { prototype: 2 } },
  },
  { type: "tool-input-start", toolCallId: "call-1", toolName: "other" },
  {
    type: "tool-input-start",
    toolCallId: "call-1",
    toolName: "other",
    dynamic: true,
  },
  {
    type: "text-end",
    id: "txt-1",
    citations: [{ source: { type: "source", sourceType: "future", id: "" } }],
  },
  {
    type: "text-end",
    id: "txt-1",
    citations: [
      {
        source: { type: "source", sourceType: "url", id: "", url: "" },
        startIndex: -1,
      },
    ],
  },
  1,
  null,
  [],
  "text-start",
];

/** Each changes the chunks in place; false means there was nothing to change. */
const mutations: Record<string, Change> = {
  "drop chunk": (r, chunks) => {
    if (chunks.length === 0) return false;
    chunks.splice(r.below(chunks.length), 1);
    return true;
  },
  "duplicate chunk": (r, chunks) => {
    if (chunks.length === 0) return false;
    const i = r.below(chunks.length);
    const to = r.chance(50) ? i : r.below(chunks.length);
    chunks.splice(to, 0, clone(chunks[i] as Json));
    return true;
  },
  "swap chunks": (r, chunks) => {
    if (chunks.length < 2) return false;
    const i = r.below(chunks.length - 1);
    const j = r.chance(60) ? i + 1 : r.below(chunks.length);
    [chunks[i], chunks[j]] = [chunks[j] as Json, chunks[i] as Json];
    return true;
  },
  "insert chunk": (r, chunks) => {
    const to = r.below(chunks.length + 1);
    chunks.splice(to, 0, clone(r.pick(inserted)));
    return true;
  },
  truncate: (r, chunks) => {
    if (chunks.length === 0) return false;
    chunks.length = r.below(chunks.length);
    return true;
  },
  "delete member": (r, chunks) => {
    const found = aMember(r, chunks);
    if (found === undefined) return false;
    Reflect.deleteProperty(found.at, found.name);
    return true;
  },
  "retype member": changed((r) => value(r, 2)),
  "null member": changed(() => null),
  "empty member": changed((_, old) => (typeof old === "string" ? "" : {})),
  "add member": (r, chunks) => {
    const at = anObject(r, chunks);
    if (at === undefined) return false;
    put(
      at,
      r.pick([
        "future",
        "",
        "toString",
        "constructor",
        "prototype",
        "title",
        "id",
        "dynamic",
        "providerMetadata",
        "toolMetadata",
        "reason",
      ]),
      r.chance(50) ? "s" : value(r, 2),
    );
    return true;
  },
  "flat metadata": (r, chunks) => {
    const at = r.maybe(chunks.filter(isObject));
    if (at === undefined) return false;
    put(at, r.pick(["providerMetadata", "toolMetadata"]), {
      acme: r.pick<Json>(["x", null, [], 1]),
    });
    return true;
  },
  "forbidden name": (r, chunks) => {
    const at = anObject(r, chunks);
    if (at === undefined) return false;
    const whole: JsonObject = {};
    put(whole, "prototype", some(r));
    if (r.chance(50)) put(at, "__proto__", some(r));
    else put(at, "constructor", whole);
    return true;
  },
  "wrong id": (r, chunks) => {
    const ids = chunks.filter(isObject).flatMap((at) =>
      Object.keys(at)
        .filter((name) => /Id$|^id$/.test(name) && typeof at[name] === "string")
        .map((name) => ({ at, name })),
    );
    const found = r.maybe(ids);
    const other = r.maybe(ids);
    if (found === undefined || other === undefined) return false;
    put(
      found.at,
      found.name,
      r.chance(60) ? (other.at[other.name] as Json) : r.pick(["", "wrong"]),
    );
    return true;
  },
  "wrong tool": (r, chunks) => {
    const at = r.maybe(
      chunks.filter(isObject).filter((chunk) => "toolName" in chunk),
    );
    if (at === undefined) return false;
    if (r.chance(50)) put(at, "toolName", "other");
    else put(at, "dynamic", at.dynamic !== true);
    return true;
  },
};

/** Changes of the text itself. */
const textMutations: Record<string, (r: Random, line: string) => string> = {
  "not JSON": (r, line) =>
    Array.from(line).slice(0, r.below(line.length)).join("") || "{",
  "name twice": (_, line) => line.replace("{", '{"type":"start",'),
  "escaped name": (_, line) => line.replace('"type"', '"t\\u0079pe"'),
  "white space": (_, line) => line.replace(":", " : "),
  "lone surrogate": (_, line) => line.replace(/"([a-z]+)"}$/, '"\\ud83d"}'),
};

export const mutationNames = [
  ...Object.keys(mutations),
  ...Object.keys(textMutations),
];

/** Changes the chunks in one to three ways, or the text of one, and says how. */
export function mutate(r: Random, c: Case, chunks: Json[]): void {
  const kinds: string[] = [];
  for (let i = r.pick([1, 1, 2, 3]); i > 0; i--) {
    const kind = r.pick(mutationNames);
    if (mutations[kind]?.(r, chunks) === true) kinds.push(kind);
    const change = textMutations[kind];
    if (change === undefined || chunks.length === 0) continue;
    const at = r.below(chunks.length);
    c.lines.push(
      ...chunks.splice(0, at).map((chunk) => JSON.stringify(chunk)),
      change(r, JSON.stringify(chunks.shift())),
    );
    kinds.push(kind);
  }
  if (kinds.length > 0) c.kinds = kinds;
}
