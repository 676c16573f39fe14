import type { Json, JsonObject } from "./case.js";
import { clone, isObject } from "./case.js";
import {
  base,
  content,
  inputExtras,
  interrupt,
  message,
  optional,
  roles,
  usage,
} from "./material.js";
import { hopeless, sentPatch } from "./patch.js";
import { nested, object, some, text, value } from "./random.js";
import type { Random } from "./random.js";

/** The owner of something: a subagent's id, or undefined for the agent itself. */
type Owner = string | undefined;

/** What a lane of chunks is assembling. */
interface Lane {
  kind: "text" | "tool" | "reasoning";
  id: string;
  opener: JsonObject;
}

interface Step {
  name: string;
  owner: Owner;
}

/** A run being written: all that decides what may come next. */
export class StreamWriter {
  readonly events: Json[] = [];

  private texts = new Map<string, Owner>();
  private calls = new Map<string, Owner>();
  private spans = new Map<string, Owner>();
  private thoughts = new Map<string, Owner>();
  private steps: Step[] = [];
  private active: string[] = [];
  private over: string[] = [];
  private lanes = new Map<Owner, Lane>();
  /** Who owns an id for the rest of the run. */
  private owners = {
    text: new Map<string, Owner>(),
    call: new Map<string, Owner>(),
    reasoning: new Map<string, Owner>(),
  };
  private activities = new Map<string, { owner: Owner; content: Json }>();
  private thinking: "no" | "span" | "message" = "no";
  private ids = 0;
  private state: Json;
  /** Messages and calls that came in earlier runs, or with the input. */
  private readonly known: { id: string; role: string }[] = [];
  private readonly knownCalls: string[] = [];

  constructor(
    private readonly r: Random,
    private readonly input: JsonObject,
  ) {
    this.state = input.state ?? {};
    this.learn(input.messages as Json[]);
  }

  private learn(messages: Json[]): void {
    for (const m of messages) {
      if (!isObject(m)) continue;
      this.known.push({ id: m.id as string, role: m.role as string });
      if (m.role === "activity") {
        this.activities.set(m.id as string, {
          owner: undefined,
          content: m.content ?? {},
        });
      }
      for (const call of (m.toolCalls ?? []) as JsonObject[])
        this.knownCalls.push(call.id as string);
    }
  }

  private emit(type: string, members: JsonObject, extra = true): void {
    this.events.push({ type, ...members, ...(extra ? base(this.r) : {}) });
  }

  private fresh(prefix: string): string {
    if (this.r.chance(1))
      return this.r.pick(["", "😀", "é", "__proto__", "constructor"]);
    return `${prefix}-${String(++this.ids)}`;
  }

  // --- owners and lanes ---

  private owner(): Owner {
    if (this.r.chance(65)) return undefined;
    if (this.active.length > 0 && this.r.chance(85))
      return this.r.pick(this.active);
    return this.r.chance(40) ? "ghost" : undefined;
  }

  /** The tag of an event that goes on with something of this owner's. */
  private tag(owner: Owner): JsonObject {
    return owner !== undefined && this.r.chance(70)
      ? { subagentRunId: owner }
      : {};
  }

  private opening(owner: Owner): JsonObject {
    return owner === undefined ? {} : { subagentRunId: owner };
  }

  /** An event outside the chunks ends what its lane was assembling. */
  private endLane(members: JsonObject): void {
    this.lanes.delete(members.subagentRunId as Owner);
  }

  private held(kind: Lane["kind"], id: string): boolean {
    return [...this.lanes.values()].some(
      (lane) => lane.kind === kind && lane.id === id,
    );
  }

  // --- explicit streams ---

  private startText(): void {
    const again = this.r.chance(12)
      ? this.r.maybe([...this.owners.text.keys()])
      : undefined;
    const old = this.r.chance(6) ? this.r.maybe(this.known)?.id : undefined;
    const id = again ?? old ?? this.fresh("msg");
    if (this.texts.has(id) || this.held("text", id)) return;
    const owner = this.owners.text.has(id)
      ? this.owners.text.get(id)
      : this.owner();
    const members = {
      messageId: id,
      ...optional(this.r, 70, () => ({
        role: this.r.pick([
          "assistant",
          "assistant",
          "assistant",
          "user",
          "system",
          "developer",
        ]),
      })),
      ...optional(this.r, 10, () => ({ name: text(this.r) })),
      ...(this.owners.text.has(id) ? this.tag(owner) : this.opening(owner)),
    };
    this.endLane(members);
    if (!this.owners.text.has(id)) this.owners.text.set(id, owner);
    this.texts.set(id, owner);
    this.known.push({ id, role: "assistant" });
    this.emit("TEXT_MESSAGE_START", members);
  }

  private goOn(
    open: Map<string, Owner>,
    member: string,
    delta: string,
    end: string,
    fragment: () => string,
  ): boolean {
    const entry = this.r.maybe([...open]);
    if (entry === undefined) return false;
    const [id, owner] = entry;
    const members: JsonObject = { [member]: id, ...this.tag(owner) };
    this.endLane(members);
    if (this.r.chance(70)) {
      this.emit(delta, { ...members, delta: fragment() });
    } else {
      open.delete(id);
      this.emit(end, members);
    }
    return true;
  }

  private fragment(): string {
    return this.r.pick([
      "",
      "{",
      '{"q":',
      '"x"}',
      "}",
      "[1,",
      "null",
      text(this.r),
    ]);
  }

  private startCall(): void {
    const again = this.r.chance(12)
      ? this.r.maybe([...this.owners.call.keys()])
      : undefined;
    const old = this.r.chance(6) ? this.r.maybe(this.knownCalls) : undefined;
    const id = again ?? old ?? this.fresh("call");
    if (this.calls.has(id) || this.held("tool", id)) return;
    let owner = this.owners.call.has(id)
      ? this.owners.call.get(id)
      : this.owner();
    let members = this.owners.call.has(id)
      ? this.tag(owner)
      : this.opening(owner);
    const parent = this.parent();
    if (parent !== undefined && this.owners.text.has(parent)) {
      const holder = this.owners.text.get(parent);
      if (this.owners.call.has(id) && holder !== owner) return;
      owner = holder;
      members = this.tag(owner);
    }
    members = {
      toolCallId: id,
      toolCallName: this.r.pick(["search", "write", ""]),
      ...(parent === undefined ? {} : { parentMessageId: parent }),
      ...members,
    };
    this.endLane(members);
    if (!this.owners.call.has(id)) this.owners.call.set(id, owner);
    this.calls.set(id, owner);
    this.knownCalls.push(id);
    this.emit("TOOL_CALL_START", members);
  }

  private parent(): string | undefined {
    if (this.r.chance(50)) return undefined;
    if (this.r.chance(20)) return this.fresh("parent");
    return this.r.maybe(this.known)?.id;
  }

  private result(): void {
    const id = this.r.chance(8)
      ? (this.r.maybe(this.known)?.id ?? "x")
      : this.fresh("result");
    const owner = this.owner();
    const members = {
      messageId: id,
      toolCallId: this.r.maybe(this.knownCalls) ?? "call-none",
      content: content(this.r),
      ...optional(this.r, 50, () => ({ role: "tool" })),
      ...this.opening(owner),
    };
    this.endLane(members);
    this.reown("text", id, owner);
    this.known.push({ id, role: "tool" });
    this.emit("TOOL_CALL_RESULT", members);
  }

  /** The newest message of an id decides whose it is, also for what is open. */
  private reown(
    kind: "text" | "call" | "reasoning",
    id: string,
    owner: Owner,
  ): void {
    this.owners[kind].set(id, owner);
    const open = {
      text: [this.texts],
      call: [this.calls],
      reasoning: [this.spans, this.thoughts],
    };
    for (const items of open[kind]) if (items.has(id)) items.set(id, owner);
    for (const [lane, { id: held, kind: what }] of this.lanes) {
      const same =
        { text: "text", call: "tool", reasoning: "reasoning" }[kind] === what;
      // What this lane goes on to say would contradict the new owner.
      if (same && held === id && lane !== owner) this.avoid.add(lane);
    }
  }

  private avoid = new Set<Owner>();

  private startReasoning(span: boolean): void {
    const open = span ? this.spans : this.thoughts;
    const other = span ? this.thoughts : this.spans;
    const share = this.r.chance(30)
      ? this.r.maybe([...other.keys()])
      : undefined;
    const again = this.r.chance(12)
      ? this.r.maybe([...this.owners.reasoning.keys()])
      : undefined;
    const id = share ?? again ?? this.fresh("think");
    if (open.has(id) || this.held("reasoning", id)) return;
    const known = this.owners.reasoning.has(id);
    const owner = known ? this.owners.reasoning.get(id) : this.owner();
    const members = {
      messageId: id,
      ...(span ? {} : { role: "reasoning" }),
      ...(known ? this.tag(owner) : this.opening(owner)),
    };
    this.endLane(members);
    if (!known) this.owners.reasoning.set(id, owner);
    open.set(id, owner);
    if (!span) this.known.push({ id, role: "reasoning" });
    this.emit(span ? "REASONING_START" : "REASONING_MESSAGE_START", members);
  }

  private endSpan(): void {
    const entry = this.r.maybe([...this.spans]);
    if (entry === undefined) return;
    const members = { messageId: entry[0], ...this.tag(entry[1]) };
    this.endLane(members);
    this.spans.delete(entry[0]);
    this.emit("REASONING_END", members);
  }

  // --- chunks ---

  private chunk(): void {
    const kind = this.r.pick(["text", "tool", "reasoning"] as const);
    const type = {
      text: "TEXT_MESSAGE_CHUNK",
      tool: "TOOL_CALL_CHUNK",
      reasoning: "REASONING_MESSAGE_CHUNK",
    }[kind];
    const fragment = optional(this.r, 85, () => ({
      delta: kind === "tool" ? this.fragment() : text(this.r),
    }));
    const open = this.r.maybe(
      [...this.lanes].filter(([, lane]) => lane.kind === kind),
    );
    if (open !== undefined && this.r.chance(75) && !this.avoid.has(open[0])) {
      const [owner, lane] = open;
      // Without any tag the parent's stream goes on, or else the only one.
      const others = [...this.lanes].filter(([, l]) => l.kind === kind).length;
      const bare =
        owner === undefined ||
        (others === 1 && this.lanes.get(undefined)?.kind !== kind);
      const members: JsonObject = {};
      for (const [name, v] of Object.entries(lane.opener)) {
        if (
          name === "subagentRunId"
            ? !bare || this.r.chance(50)
            : this.r.chance(25)
        )
          members[name] = v;
      }
      this.emit(type, { ...members, ...fragment });
      return;
    }
    const member = kind === "tool" ? "toolCallId" : "messageId";
    const id = this.fresh(
      kind === "reasoning" ? "think" : kind === "tool" ? "call" : "msg",
    );
    const kept = {
      text: "text",
      tool: "call",
      reasoning: "reasoning",
    } as const;
    if (this.owners[kept[kind]].has(id) || this.held(kind, id)) return;
    const owner = this.owner();
    const parent =
      this.r.chance(40) && kind === "tool" ? this.parent() : undefined;
    if (
      parent !== undefined &&
      this.owners.text.has(parent) &&
      this.owners.text.get(parent) !== owner
    )
      return;
    const opener: JsonObject = {
      [member]: id,
      ...(kind === "tool"
        ? { toolCallName: this.r.pick(["search", "write"]) }
        : {}),
      ...(parent === undefined ? {} : { parentMessageId: parent }),
      ...(kind === "text" && this.r.chance(60)
        ? { role: this.r.pick(["assistant", "user"]) }
        : {}),
      ...(kind === "text" && this.r.chance(10) ? { name: "Ada" } : {}),
      ...this.opening(owner),
    };
    this.owners[kept[kind]].set(id, owner);
    this.lanes.set(owner, { kind, id, opener });
    this.avoid.delete(owner);
    if (kind === "tool") this.knownCalls.push(id);
    else
      this.known.push({
        id,
        role: kind === "text" ? "assistant" : "reasoning",
      });
    this.emit(type, { ...opener, ...fragment });
  }

  // --- the rest ---

  private stateEvent(): void {
    const owner = this.opening(this.owner());
    this.endLane(owner);
    if (this.r.chance(35)) {
      this.state = this.r.chance(60)
        ? object(this.r, 3)
        : this.r.chance(4)
          ? nested(this.r)
          : value(this.r);
      this.emit("STATE_SNAPSHOT", { snapshot: clone(this.state), ...owner });
      return;
    }
    const { patch, after } = sentPatch(this.r, this.state);
    this.state = after;
    this.emit("STATE_DELTA", { delta: patch, ...owner });
  }

  private snapshot(): void {
    this.lanes.clear();
    this.avoid.clear();
    const messages: Json[] = [];
    const used = new Set<string>();
    const kept = this.known.filter(() => this.r.chance(50));
    for (let i = this.r.below(3); i > 0; i--) {
      kept.push({ id: this.fresh("snap"), role: this.r.pick(roles) });
    }
    for (const { id, role } of kept) {
      if (used.has(id)) continue;
      used.add(id);
      // Most snapshots know nothing of activities and reasoning.
      if ((role === "activity" || role === "reasoning") && this.r.chance(70))
        continue;
      messages.push(this.snapshotMessage(id, role));
    }
    this.emit("MESSAGES_SNAPSHOT", { messages });
    if (this.r.chance(15)) {
      const event = this.events.at(-1) as JsonObject;
      event.metadata = {
        "@ag-ui/client": {
          authoritativeActivityTypes: this.r.pick<Json>([
            null,
            [],
            ["PLAN"],
            "PLAN",
            ["PLAN", 1],
          ]),
        },
      };
    }
  }

  private snapshotMessage(id: string, role: string): JsonObject {
    const calls =
      role === "assistant" && this.r.chance(30) ? [this.callForSnapshot()] : [];
    const m = message(
      this.r,
      this.r.chance(95) ? (role as (typeof roles)[number]) : this.r.pick(roles),
      id,
      role === "tool" ? this.knownCalls : calls,
      this.r.chance(10),
    );
    const owner = this.r.chance(10) ? this.owner() : undefined;
    Object.assign(m, this.opening(owner));
    if (m.role === "activity")
      this.activities.set(id, { owner, content: m.content ?? {} });
    else this.reown(m.role === "reasoning" ? "reasoning" : "text", id, owner);
    for (const call of (m.toolCalls ?? []) as JsonObject[]) {
      this.reown("call", call.id as string, owner);
      this.knownCalls.push(call.id as string);
    }
    this.known.push({ id, role: m.role as string });
    return m;
  }

  private callForSnapshot(): string {
    return (
      (this.r.chance(60) ? this.r.maybe(this.knownCalls) : undefined) ??
      this.fresh("call")
    );
  }

  private activity(): void {
    const entry = this.r.maybe([...this.activities]);
    const activityType = this.r.pick(["PLAN", "SEARCH"]);
    if (entry !== undefined && this.r.chance(55)) {
      const [id, now] = entry;
      const { patch, after } = this.r.chance(90)
        ? sentPatch(this.r, now.content)
        : { patch: [hopeless(this.r)], after: now.content };
      now.content = after;
      this.emit("ACTIVITY_DELTA", {
        messageId: id,
        activityType,
        patch,
        ...this.tag(now.owner),
      });
      return;
    }
    if (this.r.chance(6)) {
      const id = this.r.maybe(this.known)?.id ?? "none";
      this.emit("ACTIVITY_DELTA", { messageId: id, activityType, patch: [] });
      return;
    }
    const clash = this.r.chance(5) ? this.r.maybe(this.known)?.id : undefined;
    const id =
      (this.r.chance(50) ? entry?.[0] : undefined) ??
      clash ??
      this.fresh("act");
    const owner = this.owner();
    const replace = this.r.pick([undefined, undefined, true, false]);
    const made = object(this.r, 3);
    if (!this.activities.has(id) || replace !== false)
      this.activities.set(id, { owner, content: clone(made) });
    this.known.push({ id, role: "activity" });
    this.emit("ACTIVITY_SNAPSHOT", {
      messageId: id,
      activityType,
      content: made,
      ...(replace === undefined ? {} : { replace }),
      ...this.opening(owner),
    });
  }

  private passthrough(): void {
    const owner = this.opening(this.owner());
    if (this.r.chance(50)) {
      this.emit("RAW", {
        event: value(this.r),
        ...optional(this.r, 40, () => ({ source: "acme" })),
        ...owner,
      });
      return;
    }
    this.endLane(owner);
    this.emit("CUSTOM", {
      name: this.r.pick(["progress", "", "x"]),
      value: value(this.r),
      ...owner,
    });
  }

  private step(): void {
    const open = this.r.maybe(this.steps);
    if (open !== undefined && this.r.chance(50)) {
      this.steps = this.steps.filter((step) => step !== open);
      const members = { stepName: open.name, ...this.opening(open.owner) };
      this.endLane(members);
      this.emit("STEP_FINISHED", members);
      return;
    }
    const step = {
      name: this.r.pick(["plan", "answer", ""]),
      owner: this.owner(),
    };
    if (
      this.steps.some(
        ({ name, owner }) => name === step.name && owner === step.owner,
      )
    )
      return;
    this.steps.push(step);
    const members = { stepName: step.name, ...this.opening(step.owner) };
    this.endLane(members);
    this.emit("STEP_STARTED", members);
  }

  private encrypted(): void {
    const call = this.r.chance(40);
    const id =
      (call ? this.r.maybe(this.knownCalls) : this.r.maybe(this.known)?.id) ??
      this.r.pick(["unknown", ""]);
    const owners = call
      ? this.owners.call
      : this.owners.text.has(id)
        ? this.owners.text
        : this.owners.reasoning;
    this.emit("REASONING_ENCRYPTED_VALUE", {
      subtype: call ? "tool-call" : "message",
      entityId: this.r.chance(10) ? "unknown" : id,
      encryptedValue: text(this.r),
      ...optional(this.r, 30, () => ({
        encryptedValueType: this.r.pick(["signature", ""]),
      })),
      ...(owners.has(id) ? this.tag(owners.get(id)) : {}),
    });
  }

  private subagent(): void {
    if (this.active.length > 0 && this.r.chance(50)) {
      this.endSubagent(this.r.pick(this.active));
      return;
    }
    const id = this.fresh("sub");
    if (this.active.includes(id) || this.over.includes(id)) return;
    const parent = this.r.chance(40)
      ? this.r.maybe([...this.active, ...this.over])
      : undefined;
    this.active.push(id);
    this.emit("SUBAGENT_STARTED", {
      subagentRunId: id,
      name: this.r.pick(["researcher", ""]),
      ...optional(this.r, 20, () => ({ description: text(this.r) })),
      ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
      ...optional(this.r, 20, () => ({
        parentToolCallId: this.r.maybe(this.knownCalls) ?? "c",
      })),
      ...optional(this.r, 20, () => ({
        parentMessageId: this.r.maybe(this.known)?.id ?? "m",
      })),
    });
  }

  private endSubagent(id: string): void {
    this.lanes.delete(id);
    this.active = this.active.filter((other) => other !== id);
    this.over.push(id);
    if (this.r.chance(30)) {
      this.emit("SUBAGENT_ERROR", {
        subagentRunId: id,
        message: text(this.r),
        ...optional(this.r, 40, () => ({ code: "E1" })),
      });
      return;
    }
    this.emit("SUBAGENT_FINISHED", {
      subagentRunId: id,
      ...optional(this.r, 30, () => ({ result: some(this.r) })),
      ...optional(this.r, 40, () => ({
        outcome: this.r.pick<JsonObject>([
          { type: "success" },
          { type: "suspended" },
          { type: "suspended", interruptIds: ["int-1", ""] },
        ]),
      })),
    });
  }

  /** The retired shapes of reasoning, of absence, and of asking. */
  private retired(): void {
    if (this.r.chance(30)) {
      const id = this.fresh("call");
      if (this.calls.has(id) || this.owners.call.has(id)) return;
      this.lanes.delete(undefined);
      this.owners.call.set(id, undefined);
      this.calls.set(id, undefined);
      this.knownCalls.push(id);
      this.emit("TOOL_CALL_START", {
        toolCallId: id,
        toolCallName: "search",
        parentMessageId: null,
      });
      return;
    }
    this.lanes.delete(undefined);
    switch (this.thinking) {
      case "no":
        this.thinking = "span";
        this.emit(
          "THINKING_START",
          optional(this.r, 50, () => ({ title: text(this.r) })),
        );
        return;
      case "span":
        this.thinking = this.r.chance(60) ? "message" : "no";
        this.emit(
          this.thinking === "no"
            ? "THINKING_END"
            : "THINKING_TEXT_MESSAGE_START",
          {},
        );
        return;
      case "message":
        if (this.r.chance(60)) {
          this.emit("THINKING_TEXT_MESSAGE_CONTENT", { delta: text(this.r) });
          return;
        }
        this.thinking = "span";
        this.emit("THINKING_TEXT_MESSAGE_END", {});
    }
  }

  // --- runs ---

  /** Writes a whole run of about so many events. */
  run(length: number, runId: string, last: boolean): void {
    const r = this.r;
    const old = r.chance(8);
    this.start(runId);
    for (let i = length; i > 0; i--) {
      const what = r.below(old ? 108 : 100);
      if (what < 10) this.startText();
      else if (what < 24)
        this.goOn(
          this.texts,
          "messageId",
          "TEXT_MESSAGE_CONTENT",
          "TEXT_MESSAGE_END",
          () => text(r),
        );
      else if (what < 31) this.startCall();
      else if (what < 41)
        this.goOn(
          this.calls,
          "toolCallId",
          "TOOL_CALL_ARGS",
          "TOOL_CALL_END",
          () => this.fragment(),
        );
      else if (what < 45) this.result();
      else if (what < 48) this.startReasoning(true);
      else if (what < 52) this.startReasoning(false);
      else if (what < 58)
        this.goOn(
          this.thoughts,
          "messageId",
          "REASONING_MESSAGE_CONTENT",
          "REASONING_MESSAGE_END",
          () => text(r),
        );
      else if (what < 60) this.endSpan();
      else if (what < 71) this.chunk();
      else if (what < 78) this.stateEvent();
      else if (what < 80) this.snapshot();
      else if (what < 85) this.activity();
      else if (what < 89) this.passthrough();
      else if (what < 93) this.step();
      else if (what < 96) this.encrypted();
      else if (what < 100) this.subagent();
      else this.retired();
    }
    if (r.chance(12)) {
      this.fail();
    } else {
      this.finish(runId, old);
      if (r.chance(4)) this.fail();
    }
    if (!last) this.reset();
  }

  private fail(): void {
    const r = this.r;
    this.emit("RUN_ERROR", {
      message: text(r),
      ...optional(r, 40, () => ({ code: "E1" })),
      ...optional(r, 25, () => ({ usage: [usage(r)] })),
    });
  }

  private start(runId: string): void {
    const r = this.r;
    const members: JsonObject = {
      threadId: this.input.threadId as string,
      runId,
    };
    if (r.chance(60))
      members.protocolVersion = r.pick([
        "1.1",
        "1.1",
        "1.1",
        "1.0",
        "1.2",
        "0.9",
        "2.0",
        "1",
        "x",
        "",
      ]);
    if (r.chance(10)) members.parentRunId = "run-0";
    if (r.chance(15)) {
      const messages = clone(this.input.messages as Json[]).filter(() =>
        r.chance(70),
      );
      for (let i = r.below(3); i > 0; i--) {
        messages.push(
          message(r, r.pick(roles), this.fresh("echo"), [], r.chance(15)),
        );
      }
      for (const m of messages) this.echoed(m);
      members.input = {
        ...members,
        messages,
        ...(r.chance(50) ? { state: some(r) } : {}),
        ...inputExtras(r),
        ...optional(r, 15, () => ({
          resume: [
            { interruptId: "int-1", status: r.pick(["resolved", "cancelled"]) },
          ],
        })),
      };
    }
    this.emit("RUN_STARTED", members);
  }

  /** A message that RUN_STARTED repeats has its owner from there. */
  private echoed(m: Json): void {
    if (!isObject(m)) return;
    const owner = m.subagentRunId as Owner;
    const id = m.id as string;
    if (m.role === "activity")
      this.activities.set(id, { owner, content: m.content ?? {} });
    else this.reown(m.role === "reasoning" ? "reasoning" : "text", id, owner);
    for (const call of (m.toolCalls ?? []) as JsonObject[])
      this.reown("call", call.id as string, owner);
    if (!this.known.some((other) => other.id === id)) this.learn([m]);
  }

  private finish(runId: string, old: boolean): void {
    const r = this.r;
    this.lanes.clear();
    for (const [id, owner] of this.texts)
      this.emit("TEXT_MESSAGE_END", { messageId: id, ...this.tag(owner) });
    for (const [id, owner] of this.calls)
      this.emit("TOOL_CALL_END", { toolCallId: id, ...this.tag(owner) });
    for (const [id, owner] of this.thoughts) {
      this.emit("REASONING_MESSAGE_END", { messageId: id, ...this.tag(owner) });
    }
    for (const [id, owner] of this.spans)
      this.emit("REASONING_END", { messageId: id, ...this.tag(owner) });
    if (this.thinking === "message") this.emit("THINKING_TEXT_MESSAGE_END", {});
    if (this.thinking !== "no") this.emit("THINKING_END", {});
    for (const { name, owner } of this.steps) {
      this.emit("STEP_FINISHED", { stepName: name, ...this.opening(owner) });
    }
    for (const id of [...this.active]) this.endSubagent(id);
    const asks = old && r.chance(30);
    if (asks)
      this.emit("CUSTOM", {
        name: "on_interrupt",
        value: r.pick<Json>(["Shall I?", { question: "?" }]),
      });
    this.emit("RUN_FINISHED", {
      threadId: this.input.threadId as string,
      runId,
      ...optional(r, 20, () => ({ result: some(r) })),
      ...optional(r, 20, () => ({ usage: [usage(r), usage(r)] })),
      ...(asks ? {} : this.outcome()),
    });
  }

  private outcome(): JsonObject {
    const r = this.r;
    switch (r.below(6)) {
      case 0:
        return { outcome: { type: "success" } };
      case 1:
        return {
          outcome: {
            type: "success",
            pendingToolCallIds: r.chance(70) ? this.knownCalls.slice(0, 2) : [],
          },
        };
      case 2:
        return {
          outcome: {
            type: "interrupt",
            interrupts: [
              interrupt(r, "int-1"),
              ...(r.chance(40) ? [interrupt(r, "int-2")] : []),
            ],
          },
        };
      case 3:
        return { outcome: { type: "cancelled" } };
      default:
        return {};
    }
  }

  /** What a new run forgets of the one before. */
  private reset(): void {
    for (const open of [this.texts, this.calls, this.spans, this.thoughts])
      open.clear();
    for (const kept of Object.values(this.owners)) kept.clear();
    this.steps = [];
    this.active = [];
    this.over = [];
    this.lanes.clear();
    this.avoid.clear();
    this.thinking = "no";
    for (const activity of this.activities.values()) activity.owner = undefined;
  }
}
