import type { Json, JsonObject } from "./case.js";

/** A small generator of numbers: the same on every machine for the same seed. */
export class Random {
  private state: number;

  constructor(seed: number, stream = 0) {
    this.state =
      (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream, 0x85ebca6b)) | 0;
    for (let i = 0; i < 4; i++) this.bits();
  }

  /** 32 random bits, by the splitmix32 sequence. */
  private bits(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** A whole number from 0 up to, and without, n. */
  below(n: number): number {
    return this.bits() % n;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("nothing to pick from");
    return from[this.below(from.length)] as T;
  }

  maybe<T>(from: readonly T[]): T | undefined {
    return from.length === 0 ? undefined : this.pick(from);
  }
}

const words = [
  "",
  "a",
  "Hello",
  " world",
  "{",
  '"x":1}',
  "\n",
  "\\",
  '"',
  "<b>&",
  "\u0000",
  "\u001f\t",
  "\u007f\u0080",
  "\u2028\u2029",
  "\ufeff",
  "\uffff",
  "cafe",
  "\u0301",
  "caf\u00e9",
  "日本語",
  "😀",
  "👩‍👩‍👧",
  "𝒳",
  "ß",
  "\u202eabc",
  "true",
  "null",
  "0",
];

export function text(r: Random): string {
  let s = "";
  for (let i = r.below(4); i >= 0; i--) s += r.pick(words);
  return s;
}

const numbers = [
  0,
  1,
  -1,
  7,
  0.1,
  -2.5,
  1e21,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  2 ** 53,
  2 ** 63,
  2 ** 64,
  123456789012345680000,
];

export const names = [
  "a",
  "b",
  "list",
  "deep",
  "",
  "x/y",
  "m~n",
  "0",
  "-",
  "ключ",
  "😀",
  "type",
  "id",
];

/** Any JSON value, nested at most so deep. */
export function value(r: Random, depth = 3): Json {
  switch (r.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null;
    case 1:
      return r.chance(50);
    case 2:
      return r.pick(numbers);
    case 3:
    case 4:
      return text(r);
    case 5: {
      const list: Json[] = [];
      for (let i = r.below(4); i > 0; i--) list.push(value(r, depth - 1));
      return list;
    }
    default:
      return object(r, depth);
  }
}

/** Any JSON value but null. */
export function some(r: Random, depth = 2): Json {
  return value(r, depth) ?? {};
}

export function object(r: Random, depth = 2): JsonObject {
  const o: JsonObject = {};
  for (let i = r.below(4); i > 0; i--) o[r.pick(names)] = value(r, depth - 1);
  return o;
}

/** A value within very many others. */
export function nested(r: Random): Json {
  let v: Json = 1;
  for (let i = 20 + r.below(180); i > 0; i--) v = r.chance(50) ? [v] : { n: v };
  return v;
}
