import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { describe, expect, test } from "vitest";

import { behind, startWorld } from "../src/pairing.js";
import type { Behind, World } from "../src/pairing.js";
import { faces, meet } from "../src/person.js";
import type { Person } from "../src/person.js";
import {
  booking,
  email,
  greeting,
  refused,
  reported,
} from "../src/scenario.js";
import { pending } from "../src/thread.js";

// Agents whose provider names the first call of every turn alike: call_0. Nothing that was
// answered to one of them counts for another.

let world: World;

beforeAll(async () => {
  world = await startWorld({ reusesIds: true });
});

afterAll(async () => {
  await world.stop();
});

const pairs = faces.flatMap((face) =>
  behind
    .filter((name) => !name.startsWith("demo"))
    .map((name) => ({ face, name })),
);

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

  const ran = () =>
    agent.executed()?.map(({ tool, input }) => [tool, input]) ?? [];

  test("each decision is about the call of its turn", async () => {
    for (const approved of [true, false, true]) {
      await person.say("email");
      expect(person.asked()).toEqual(["send_email"]);
      await person.decide({ approved, reason: "as I say" });
      expect(person.failed()).toBeUndefined();
      expect(person.heard()).toContain(
        approved
          ? reported("send_email", email)
          : refused("send_email", "as I say"),
      );
      await person.valid();
    }
    expect(ran()).toEqual([
      ["send_email", email],
      ["send_email", email],
    ]);
  });

  test("a form that nobody has filled in is not filled in with an old answer", async () => {
    await person.say("book");
    await person.submit(booking);
    expect(person.failed()).toBeUndefined();
    await person.say("book");
    expect(await pending(world.bridge, person.threadId)).toHaveLength(1);
    if (face.startsWith("AG-UI")) {
      await person.giveUp();
    } else {
      await person.say("hello");
      expect(person.heard()).toBe(greeting.join(""));
    }
    expect(person.failed()).toBeUndefined();
    expect(person.heard()).not.toContain(booking.email);
    expect(await pending(world.bridge, person.threadId)).toEqual([]);
    await person.valid();
  });

  test("an answer that was given, sent again, decides nothing that is asked later", async () => {
    const answer = async (id: string, approved: boolean) =>
      (
        await fetch(
          `${world.bridge.http}/v1/threads/${person.threadId}/requests/${encodeURIComponent(id)}`,
          {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ decision: { approved } }),
          },
        )
      ).status;
    const open = async () =>
      (await pending(world.bridge, person.threadId)).map(({ id }) => id);
    await person.say("email");
    const [first = ""] = await open();
    await person.decide({ approved: true });
    await person.say("email");
    const [second = ""] = await open();
    expect(second).not.toBe(first);
    expect(await answer(first, true)).toBe(200);
    expect(await answer(first, false)).toBe(409);
    expect(await open()).toEqual([second]);
    await person.decide({ approved: false });
    expect(person.failed()).toBeUndefined();
    expect(await answer(second, true)).toBe(409);
    expect(ran()).toHaveLength(1);
  });

  test("a front end of the other protocol holds every call under its own id", async () => {
    await person.say("email");
    await person.decide({ approved: true });
    await person.say("delete");
    await person.decide({ approved: false });
    await person.say("email");
    await person.decide({ approved: true });
    const other = face.startsWith("AG-UI") !== (agent.protocol === "AG-UI");
    expect(person.calls()).toEqual(
      other
        ? ["call_0", "call_0@2", "call_0@3"]
        : ["call_0", "call_0", "call_0"],
    );
  });
});
