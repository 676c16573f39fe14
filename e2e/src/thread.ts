import { expect } from "vitest";

import type { Bridge } from "./bridge.js";
import { until } from "./wait.js";

/** What a thread waits for. */
export interface Asked {
  id: string;
  kind: string;
}

interface View {
  phase: string;
  pending: Asked[];
}

async function view(bridge: Bridge, thread: string): Promise<View> {
  const response = await fetch(`${bridge.http}/v1/threads/${thread}`);
  return (await response.json()) as View;
}

/** What the thread does now. */
export async function phase(bridge: Bridge, thread: string): Promise<string> {
  return (await view(bridge, thread)).phase;
}

/** What the thread waits for. */
export async function pending(
  bridge: Bridge,
  thread: string,
): Promise<Asked[]> {
  return (await view(bridge, thread)).pending;
}

/** Waits until the thread does nothing and waits for nothing. */
export async function idle(bridge: Bridge, thread: string): Promise<void> {
  await until(async () => (await phase(bridge, thread)) === "idle");
}

/** Stops whatever the thread does or waits for. */
export async function cancel(bridge: Bridge, thread: string): Promise<void> {
  const response = await fetch(`${bridge.http}/v1/threads/${thread}/cancel`, {
    method: "POST",
  });
  expect(response.ok).toBe(true);
}

/** Answers the first request that the thread waits for, as another person would. */
export async function answerElsewhere(
  bridge: Bridge,
  thread: string,
  answer: object,
): Promise<void> {
  const [request] = await pending(bridge, thread);
  const response = await fetch(
    `${bridge.http}/v1/threads/${thread}/requests/${request?.id ?? ""}`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(answer),
    },
  );
  expect(response.status).toBe(200);
}
