import type { Json, JsonObject } from "./case.js";
import { clone, isObject } from "./case.js";
import { names, some, value } from "./random.js";
import type { Random } from "./random.js";

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

type Place =
  | { parent: JsonObject; name: string }
  | { parent: Json[]; index: number };

/** Every place in a document, with the pointer to it. */
function places(doc: Json): (Place & { pointer: string })[] {
  const found: (Place & { pointer: string })[] = [];
  const walk = (at: Json, pointer: string) => {
    if (Array.isArray(at)) {
      at.forEach((child, index) => {
        const below = `${pointer}/${String(index)}`;
        found.push({ parent: at, index, pointer: below });
        walk(child, below);
      });
    } else if (isObject(at)) {
      for (const [name, child] of Object.entries(at)) {
        const below = `${pointer}/${escape(name)}`;
        found.push({ parent: at, name, pointer: below });
        walk(child, below);
      }
    }
  };
  walk(doc, "");
  return found;
}

function get(place: Place): Json {
  return (
    "name" in place ? place.parent[place.name] : place.parent[place.index]
  ) as Json;
}

function set(place: Place, v: Json): void {
  if ("name" in place) place.parent[place.name] = v;
  else place.parent[place.index] = v;
}

function remove(place: Place): void {
  if ("name" in place) Reflect.deleteProperty(place.parent, place.name);
  else place.parent.splice(place.index, 1);
}

/** An operation that adds a value somewhere in the document, and does so. */
function add(r: Random, doc: Json, v: Json): { path: string; doc: Json } {
  const containers = [
    { at: doc, pointer: "" },
    ...places(doc).map((p) => ({ at: get(p), pointer: p.pointer })),
  ].filter(({ at }) => typeof at === "object" && at !== null);
  const into = r.maybe(containers);
  if (into === undefined || r.chance(4)) return { path: "", doc: v };
  if (Array.isArray(into.at)) {
    const end = r.chance(40);
    const index = end ? into.at.length : r.below(into.at.length + 1);
    into.at.splice(index, 0, v);
    return { path: `${into.pointer}/${end ? "-" : String(index)}`, doc };
  }
  const name = r.pick(names);
  (into.at as JsonObject)[name] = v;
  return { path: `${into.pointer}/${escape(name)}`, doc };
}

/** A patch that applies to the document, and what it makes of it. */
export function patchFor(
  r: Random,
  before: Json,
): { patch: JsonObject[]; after: Json } {
  let doc = clone(before);
  const patch: JsonObject[] = [];
  for (let i = r.below(4); i >= 0; i--) {
    const place = r.maybe(places(doc));
    const op = r.pick([
      "add",
      "add",
      "replace",
      "remove",
      "move",
      "copy",
      "test",
    ]);
    if (op === "add" || place === undefined) {
      const v = value(r, 2);
      const done = add(r, doc, clone(v));
      doc = done.doc;
      patch.push({ op: "add", path: done.path, value: v });
    } else if (op === "replace") {
      const v = value(r, 2);
      set(place, clone(v));
      patch.push({ op, path: place.pointer, value: v });
    } else if (op === "remove") {
      remove(place);
      patch.push({ op, path: place.pointer });
    } else if (op === "test") {
      patch.push({ op, path: place.pointer, value: clone(get(place)) });
    } else {
      const moved = clone(get(place));
      if (op === "move") remove(place);
      const done = add(r, doc, moved);
      doc = done.doc;
      patch.push({ op, from: place.pointer, path: done.path });
    }
  }
  return { patch, after: doc };
}

/** An operation that is well-formed and applies to hardly anything. */
export function hopeless(r: Random): JsonObject {
  return r.pick<JsonObject>([
    { op: "remove", path: "/no/such" },
    { op: "remove", path: "/nowhere" },
    { op: "replace", path: "/nowhere", value: 1 },
    { op: "replace", path: "/nowhere/at/all", value: null },
    { op: "test", path: "/a", value: "never this" },
    { op: "test", path: "/nowhere", value: null },
    { op: "add", path: "/list/99", value: 1 },
    { op: "add", path: "/list/01", value: 1 },
    { op: "add", path: "/list/x", value: 1 },
    { op: "add", path: "/nowhere/x", value: 1 },
    { op: "add", path: "/a/b/c/d", value: 1 },
    { op: "move", from: "/nowhere", path: "/b" },
    { op: "copy", from: "/nowhere", path: "/b" },
    { op: "move", from: "/a", path: "/a/b" },
    { op: "remove", path: "/list/-" },
    { op: "remove", path: "" },
    { op: "add", path: "/__proto__/x", value: 1 },
  ]);
}

/** A patch as a producer sends it, and what the document is afterwards. */
export function sentPatch(
  r: Random,
  before: Json,
): { patch: Json[]; after: Json } {
  const { patch, after } = patchFor(r, before);
  if (r.chance(15)) {
    patch.splice(r.below(patch.length + 1), 0, hopeless(r));
    return { patch, after: before };
  }
  if (r.chance(10))
    patch.push({
      op: r.pick(["merge", "", "ADD", "inc"]),
      path: "/a",
      value: 1,
    });
  if (r.chance(10)) {
    const op = r.pick(patch);
    op[r.pick(["note", "value2", "timestamp", "constructor"])] = some(r);
    if (op.op === "remove" && r.chance(50)) op.value = value(r, 1);
  }
  return { patch, after };
}
