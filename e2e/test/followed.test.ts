import type { Message } from "@ag-ui/client";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startWorld } from "../src/pairing.js";
import type { World } from "../src/pairing.js";
import { faces, meet } from "../src/person.js";
import { booking } from "../src/scenario.js";
import { Tab } from "../src/tab.js";
import { idle } from "../src/thread.js";

// A tab of AG-UI that follows a thread on which somebody else acts, with whatever front end:
// it ends with what a tab holds that opens the thread afterwards, and that is everything.

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world.stop();
});

const agents = [
  "demo",
  "demo-aisdk",
  "agui",
  "ai6-streamtext",
  "ai7-streamtext",
];
const pairs = faces.flatMap((face) => agents.map((name) => ({ face, name })));

test.each(pairs)("$face with $name", async ({ face, name }) => {
  const person = meet(face, world.bridge, name);
  await person.say("hello");
  const tab = await Tab.open(world.bridge, name, person.threadId);
  await tab.ended(1);
  await person.say("email");
  await person.decide({ approved: true });
  await person.say("delete");
  await person.decide({ approved: false, reason: "not today" });
  await person.say("locate");
  await person.give("get_location", "Berlin");
  await person.say("book");
  await person.submit(booking);
  await person.say("think");
  await person.say("hello");
  await idle(world.bridge, person.threadId);
  await tab.ended(11);
  const late = await Tab.open(world.bridge, name, person.threadId);
  await late.ended(1);
  const { messages } = await tab.holds();
  const bare = (all: Message[]) =>
    JSON.parse(
      JSON.stringify(all, (key, value: unknown) =>
        key === "metadata" ? undefined : value,
      ),
    ) as unknown;
  // What travels beside a message differs with the way that it took.
  expect(bare(messages)).toEqual(bare((await late.holds()).messages));
  const ids = messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(
    messages.flatMap(({ role, content }) => (role === "user" ? [content] : [])),
  ).toEqual(["hello", "email", "delete", "locate", "book", "think", "hello"]);
  const calls = messages.flatMap((m) =>
    m.role === "assistant" ? (m.toolCalls ?? []).map(({ id }) => id) : [],
  );
  const results = messages.flatMap((m) =>
    m.role === "tool" ? [m.toolCallId] : [],
  );
  expect(results.sort()).toEqual(calls.sort());
  tab.close();
  late.close();
  person.close();
});
