import type { Case, Json, JsonObject } from "./case.js";
import { clone, isObject } from "./case.js";
import { nested, some, value } from "./random.js";
import type { Random } from "./random.js";

type Holder = JsonObject | Json[];

/** Every object in the events, and every list. */
function holders(events: Json[]): { objects: JsonObject[]; lists: Json[][] } {
  const objects: JsonObject[] = [];
  const lists: Json[][] = [];
  const walk = (v: Json) => {
    if (Array.isArray(v)) {
      lists.push(v);
      v.forEach(walk);
    } else if (isObject(v)) {
      objects.push(v);
      Object.values(v).forEach(walk);
    }
  };
  events.forEach(walk);
  return { objects, lists };
}

function anObject(r: Random, events: Json[]): JsonObject | undefined {
  const deep = r.chance(60);
  const from = deep ? holders(events).objects : events.filter(isObject);
  return r.maybe(from);
}

function aMember(
  r: Random,
  events: Json[],
): { at: JsonObject; name: string } | undefined {
  const at = anObject(r, events);
  const name = at === undefined ? undefined : r.maybe(Object.keys(at));
  return at === undefined || name === undefined ? undefined : { at, name };
}

function put(at: Holder, name: string, v: Json): void {
  Object.defineProperty(at, name, {
    value: v,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

const idNames = /Id$|^id$/;
const unionNames = ["type", "role", "op", "status", "subtype"];

/** Each changes the events in place; false means there was nothing to change. */
const mutations: Record<string, (r: Random, events: Json[]) => boolean> = {
  "drop event": (r, events) => {
    if (events.length === 0) return false;
    events.splice(r.below(events.length), 1);
    return true;
  },
  "duplicate event": (r, events) => {
    if (events.length === 0) return false;
    const i = r.below(events.length);
    const to = r.chance(60) ? i : r.below(events.length);
    events.splice(to, 0, clone(events[i] as Json));
    return true;
  },
  "swap events": (r, events) => {
    if (events.length < 2) return false;
    const i = r.below(events.length - 1);
    const j = r.chance(60) ? i + 1 : r.below(events.length);
    [events[i], events[j]] = [events[j] as Json, events[i] as Json];
    return true;
  },
  "insert event": (r, events) => {
    const inserted = r.pick<Json>([
      { type: "FUTURE_EVENT", payload: some(r) },
      { type: "", x: 1 },
      { type: "text_message_start", messageId: "m" },
      { type: "RUN_ERROR", message: "inserted" },
      { type: "RUN_STARTED", threadId: "thread-1", runId: "run-inserted" },
      { type: "RUN_FINISHED", threadId: "thread-1", runId: "run-1" },
      {
        type: "RUN_FINISHED",
        threadId: "thread-1",
        runId: "run-1",
        outcome: {
          type: "interrupt",
          interrupts: [
            { id: "int-1", reason: "confirmation" },
            { id: "int-1", reason: "confirmation" },
          ],
        },
      },
      {
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "message",
        entityId: "msg-1",
        encryptedValue: "x",
        encryptedValueType: null,
      },
      { type: "TEXT_MESSAGE_CHUNK", delta: "inserted" },
      { type: "TOOL_CALL_CHUNK", delta: "{" },
      { type: "REASONING_MESSAGE_CHUNK", delta: "hm" },
      {
        type: "TEXT_MESSAGE_CHUNK",
        messageId: "msg-1",
        role: "user",
        delta: "x",
      },
      {
        type: "TEXT_MESSAGE_CHUNK",
        messageId: "msg-1",
        subagentRunId: "sub-1",
      },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "msg-1", delta: "inserted" },
      { type: "TEXT_MESSAGE_START", messageId: "msg-1" },
      { type: "TEXT_MESSAGE_END", messageId: "msg-1" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: "" },
      { type: "TOOL_CALL_END", toolCallId: "call-1" },
      { type: "THINKING_END" },
      { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" },
      { type: "SUBAGENT_FINISHED", subagentRunId: "sub-1" },
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: "sub-9",
        name: "x",
        parentSubagentRunId: "nobody",
      },
      { type: "STEP_FINISHED", stepName: "plan" },
      { type: "STEP_STARTED", stepName: "plan", subagentRunId: "" },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "a", value: 1 }] },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/a~2", value: 1 }] },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/a" }] },
      { type: "STATE_DELTA", delta: [{ op: "move", path: "/a" }] },
      {
        type: "ACTIVITY_DELTA",
        messageId: "act-1",
        activityType: "PLAN",
        patch: [],
      },
      { type: "MESSAGES_SNAPSHOT", messages: [] },
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [{ id: "x", role: "oracle", content: "?" }],
      },
    ]);
    const to = r.chance(20)
      ? Math.min(1, events.length)
      : r.below(events.length + 1);
    events.splice(to, 0, clone(inserted));
    return true;
  },
  truncate: (r, events) => {
    if (events.length === 0) return false;
    events.length = r.below(events.length);
    return true;
  },
  "delete member": (r, events) => {
    const found = aMember(r, events);
    if (found === undefined) return false;
    Reflect.deleteProperty(found.at, found.name);
    return true;
  },
  "rename member": (r, events) => {
    const found = aMember(r, events);
    if (found === undefined) return false;
    const v = found.at[found.name] as Json;
    Reflect.deleteProperty(found.at, found.name);
    put(found.at, r.pick([found.name.toUpperCase(), `${found.name}_`, "x"]), v);
    return true;
  },
  "retype member": (r, events) => {
    const found = aMember(r, events);
    if (found === undefined) return false;
    put(found.at, found.name, value(r, 2));
    return true;
  },
  "null member": (r, events) => {
    const found = aMember(r, events);
    if (found === undefined) return false;
    put(found.at, found.name, null);
    return true;
  },
  "add member": (r, events) => {
    const at = anObject(r, events);
    if (at === undefined) return false;
    const name = r.pick([
      "future",
      "X",
      "",
      "😀",
      "toString",
      "constructor",
      "__proto__",
      "subagentRunId",
      "role",
      "metadata",
      "timestamp",
    ]);
    put(at, name, r.chance(50) ? "s" : value(r, 2));
    return true;
  },
  "add null": (r, events) => {
    const at = r.maybe(events.filter(isObject));
    if (at === undefined) return false;
    const name = r.pick([
      "rawEvent",
      "metadata",
      "subagentRunId",
      "parentMessageId",
      "outcome",
      "result",
      "timestamp",
      "role",
      "name",
      "delta",
    ]);
    put(at, name, null);
    return true;
  },
  "unknown word": (r, events) => {
    const unions = holders(events).objects.flatMap((at) =>
      unionNames
        .filter((name) => typeof at[name] === "string")
        .map((name) => ({ at, name })),
    );
    const found = r.maybe(unions);
    if (found === undefined) return false;
    put(
      found.at,
      found.name,
      r.pick(["future-word", "", "Assistant", "toString"]),
    );
    return true;
  },
  "wrong id": (r, events) => {
    const ids = holders(events).objects.flatMap((at) =>
      Object.keys(at)
        .filter((name) => idNames.test(name) && typeof at[name] === "string")
        .map((name) => ({ at, name })),
    );
    const found = r.maybe(ids);
    const other = r.maybe(ids);
    if (found === undefined || other === undefined) return false;
    put(
      found.at,
      found.name,
      r.chance(50)
        ? (other.at[other.name] as Json)
        : r.pick(["", "wrong", "😀"]),
    );
    return true;
  },
  "empty string": (r, events) => {
    const strings = holders(events).objects.flatMap((at) =>
      Object.keys(at)
        .filter((name) => typeof at[name] === "string")
        .map((name) => ({ at, name })),
    );
    const found = r.maybe(strings);
    if (found === undefined) return false;
    put(found.at, found.name, "");
    return true;
  },
  "odd number": (r, events) => {
    const at = r.maybe(events.filter(isObject));
    if (at === undefined) return false;
    put(
      at,
      "timestamp",
      r.pick([2 ** 53, -(2 ** 53), 1.5, 1e300, 2 ** 64, -0.5, 1e15]),
    );
    return true;
  },
  "deep nesting": (r, events) => {
    const found = aMember(r, events);
    if (found === undefined) return false;
    put(found.at, r.chance(50) ? found.name : "future", nested(r));
    return true;
  },
  "change list": (r, events) => {
    const list = r.maybe(holders(events).lists);
    if (list === undefined) return false;
    const i = r.below(list.length + 1);
    switch (r.below(4)) {
      case 0:
        list.splice(i, 1);
        break;
      case 1:
        if (list.length > 0) list.splice(i, 0, clone(r.pick(list)));
        break;
      case 2:
        list.splice(i, 0, value(r, 1));
        break;
      default:
        list.reverse();
    }
    return true;
  },
  "no event": (r, events) => {
    events.splice(r.below(events.length + 1), 0, {
      type: r.pick<Json>([1, null, ["RUN_STARTED"]]),
    });
    return true;
  },
};

export const mutationNames = Object.keys(mutations);

/** Changes the case's stream in one to three ways, and says which. */
export function mutate(r: Random, c: Case): void {
  const kinds: string[] = [];
  for (let i = r.pick([1, 1, 2, 3]); i > 0; i--) {
    const kind = r.pick(mutationNames);
    if (mutations[kind]?.(r, c.stream) === true) kinds.push(kind);
  }
  if (kinds.length > 0) c.kinds = kinds;
}
