import * as seven from "ai";
import * as six from "ai-6";
import * as sixTest from "ai-6/test";
import * as sevenTest from "ai/test";
import type { UIMessage, UIMessageChunk, UIMessageStreamOptions } from "ai";

export type Major = 6 | 7;
export const majors: readonly Major[] = [6, 7];

type Model = sevenTest.MockLanguageModelV4;
export type ModelCall = Parameters<Model["doStream"]>[0];
export type StreamPart =
  Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<
    infer Part
  >
    ? Part
    : never;

/** One major of the AI SDK, under the names of the other where the two differ. */
export interface Kit {
  major: Major;
  sdk: typeof seven;
  /** A model of this major's own kind that is played by a function. */
  model(play: (call: ModelCall) => ReadableStream<StreamPart>): Model;
  stopAfter(steps: number): ReturnType<typeof seven.isStepCount>;
  /** What a model yields for a file that it made. */
  file(mediaType: string, base64: string): StreamPart;
  /** The stream of a streamText result, as an endpoint sends it. */
  chunks(
    result: { stream: ReadableStream<never> },
    options: UIMessageStreamOptions<UIMessage>,
  ): ReadableStream<UIMessageChunk>;
}

export const kits: Record<Major, Kit> = {
  6: {
    major: 6,
    // The agents use what both majors have, in the shapes that both accept; the compiler
    // cannot be told so, because each major declares its own types.
    sdk: six as unknown as typeof seven,
    model: (play) =>
      new sixTest.MockLanguageModelV3({
        doStream: ((call: ModelCall) =>
          Promise.resolve({ stream: play(call) })) as never,
      }) as unknown as Model,
    stopAfter: (steps) => six.stepCountIs(steps) as never,
    file: (mediaType, data) =>
      ({ type: "file", mediaType, data }) as unknown as StreamPart,
    chunks: (result, options) =>
      (
        result as unknown as {
          toUIMessageStream(o: unknown): ReadableStream<UIMessageChunk>;
        }
      ).toUIMessageStream(options),
  },
  7: {
    major: 7,
    sdk: seven,
    model: (play) =>
      new sevenTest.MockLanguageModelV4({
        doStream: (call) => Promise.resolve({ stream: play(call) }),
      }),
    stopAfter: seven.isStepCount,
    file: (mediaType, data) => ({
      type: "file",
      mediaType,
      data: { type: "data", data },
    }),
    chunks: (result, options) =>
      seven.toUIMessageStream({ stream: result.stream, ...options }),
  },
};
