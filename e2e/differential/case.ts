/** Any JSON value, and an object of them. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** A stream of events, and what its run starts from. */
export interface Case {
  id: string;
  input: JsonObject;
  stream: Json[];
  /** What was done to the stream: "valid", or the names of its mutations. */
  kinds: string[];
}

/** What a client made of a case. */
export interface Result {
  id: string;
  verdict: "completed" | "failed" | "timeout";
  error?: string;
  /** The events that reached the application, each as it was then. */
  delivered: Json[];
  warnings: string[];
  /** The last RUN_ERROR's message. */
  runError?: string;
  messages: Json;
  state: Json;
  /** Which of the two holds itself, and so has no JSON. */
  cyclic?: string[];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function clone<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
