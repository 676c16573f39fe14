import type { Json, JsonObject } from "../differential/case.js";

/** A major of the ai package. */
export type Major = 6 | 7;

/** A stream of chunks, and the message that it goes on with. */
export interface Case {
  id: string;
  major: Major;
  message?: JsonObject;
  /** The chunks, each as the text that goes over the wire. */
  lines: string[];
  /** What was done to the stream: "valid", or the names of its mutations. */
  kinds: string[];
}

/** What the package made of a case. */
export interface Result {
  /** Nothing, or the class of the error that ended the stream. */
  error?: string;
  /** What the error says. */
  says?: string;
  /** How many chunks had come by then. */
  at: number;
  /** The texts of the error chunks. */
  failures: string[];
  /** The last message that was published. */
  shown: Json;
  /** The message in the end, with what was not published; of a whole stream only. */
  final?: Json;
  /** Whether the package takes the published message into a conversation. */
  valid?: boolean;
}
