import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";

import { kinds } from "../src/aisdk-agent.js";
import { nameOf } from "../src/aisdk-fleet.js";
import { majors } from "../src/aisdk-kit.js";
import { fronts, openChat } from "../src/chat.js";
import { startWorld } from "../src/pairing.js";
import type { World } from "../src/pairing.js";
import { greeting } from "../src/scenario.js";

// A model may ask what nobody can be shown. It hears of that itself; the chat shows a call
// that failed, asks nobody, and does not post by itself.

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world.stop();
});

const agents = majors.flatMap((major) =>
  kinds.map((kind) => nameOf(major, kind)),
);
const pairs = fronts.flatMap((front) =>
  agents.map((name) => ({ front, name })),
);

describe.each(pairs)("$front with $name", ({ front, name }) => {
  beforeEach(() => {
    world.behind(name).clear();
  });

  test.each([
    ["garble", "ask_user_question failed: nobody was asked: ", 1],
    ["insist", "First.", 2],
  ])("%s", async (word, said, calls) => {
    const chat = openChat({
      front,
      base: world.bridge.http,
      agent: name,
      automatic: "both",
    });
    await chat.say(word);
    await chat.settled();
    expect(chat.error()).toBeUndefined();
    expect(chat.text()).toContain(said);
    const states = chat
      .parts()
      .filter((part) => part.toolCallId !== undefined)
      .map((part) => part.state);
    expect(states).toEqual(Array.from({ length: calls }, () => "output-error"));

    // One message of the assistant, and a history that the agent accepts.
    expect(chat.messages()).toHaveLength(2);
    await chat.say("hello");
    await chat.settled();
    expect(chat.text()).toBe(greeting.join(""));
    expect(chat.messages()).toHaveLength(4);
    expect(world.behind(name).errors()).toEqual([]);
    chat.close();
  });
});
