import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { describe, expect, test } from "vitest";

import { behind, startWorld } from "../src/pairing.js";
import type { Behind, World } from "../src/pairing.js";
import { faces, meet } from "../src/person.js";
import type { Person } from "../src/person.js";
import { email, greeting, reported } from "../src/scenario.js";
import { idle, pending } from "../src/thread.js";

// "Always allow": who says so once is not asked for that tool again on the thread, and sees
// one run that goes on.

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  await world.stop();
});

const pairs = faces.flatMap((face) => behind.map((name) => ({ face, name })));

describe.each(pairs)("$face with $name", ({ face, name }) => {
  let person: Person;
  let agent: Behind;

  beforeEach(() => {
    agent = world.behind(name);
    agent.clear();
    person = meet(face, world.bridge, name);
  });

  afterEach(() => {
    person.close();
  });

  const ran = () => agent.executed()?.map(({ tool }) => tool);

  const thread = () =>
    `${world.bridge.http}/v1/threads/${encodeURIComponent(person.threadId)}`;

  const always = async () => {
    const [request] = await pending(world.bridge, person.threadId);
    const response = await fetch(
      `${thread()}/requests/${encodeURIComponent(request?.id ?? "")}`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ decision: { approved: true, remember: true } }),
      },
    );
    expect(await response.text()).toContain("journal");
    await idle(world.bridge, person.threadId);
  };

  const journal = async () =>
    (
      (await (await fetch(thread())).json()) as {
        journal: { automatic?: boolean; actor?: string }[];
      }
    ).journal;

  test("a tool that is always allowed is not asked for again, and others are", async () => {
    await person.say("email");
    await always();
    person.close();
    person = meet(face, world.bridge, name, person.threadId);
    for (let n = 0; n < 2; n++) {
      await person.say("email");
      expect(person.failed()).toBeUndefined();
      expect(person.asked()).toEqual([]);
      expect(person.heard()).toContain(reported("send_email", email));
      expect(await pending(world.bridge, person.threadId)).toEqual([]);
      await person.valid();
    }
    expect(ran() ?? ["send_email", "send_email", "send_email"]).toEqual([
      "send_email",
      "send_email",
      "send_email",
    ]);
    const given = await journal();
    expect(given.map(({ automatic }) => automatic ?? false)).toEqual([
      false,
      true,
      true,
    ]);
    expect(new Set(given.map(({ actor }) => actor)).size).toBe(1);
    await person.say("delete");
    expect(person.asked()).toEqual(["delete_database"]);
    await person.decide({ approved: false });
    await person.say("hello");
    expect(person.heard()).toBe(greeting.join(""));
  });
});
