import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { describe, expect, test } from "vitest";

import { Results, behind, startWorld } from "../src/pairing.js";
import type { Behind, World } from "../src/pairing.js";
import { faces, meet } from "../src/person.js";
import type { Face, Person } from "../src/person.js";
import {
  booking,
  email,
  failure,
  greeting,
  proposals,
  refused,
  reported,
  thoughts,
} from "../src/scenario.js";

// One list of scenarios, played by every front end with every agent: the published clients
// of both protocols, over WebSocket and over HTTP, with the demo agents and with agents
// written with the protocols' own packages. What came of it is printed as a table.

let world: World;
const results = new Results();

beforeAll(async () => {
  world = await startWorld();
});

afterAll(async () => {
  console.log(results.table());
  await world.stop();
});

interface Scene {
  person: Person;
  agent: Behind;
  face: Face;
}

/** What the agent closes with when it is told that nobody filled the form in. */
function withoutForm({ agent, face }: Scene, gaveUp: boolean): string {
  if (agent.name.startsWith("ai")) {
    const declines = face.startsWith("AG-UI") || gaveUp ? "cancel" : "decline";
    return `The client tool returned: {"action":"${declines}"}`;
  }
  // An AG-UI agent behind a connection is told of both in one way: it knows no other.
  const knows = agent.name.startsWith("demo") && !face.startsWith("AG-UI");
  return knows && !gaveUp
    ? "You declined, so I go on without."
    : "You gave the request up, so I did nothing.";
}

/** What agents written with the AI SDK close with when a form was filled in. */
function withForm({ agent }: Scene, said: string, content: object): string[] {
  return agent.name.startsWith("ai")
    ? ["The client tool returned:", ...Object.values(content).map(String)]
    : [said, ...Object.values(content).map(String)];
}

function expectRan(agent: Behind, ...calls: [string, unknown][]): void {
  const ran = agent.executed();
  if (ran !== undefined) {
    expect(ran).toEqual(calls.map(([tool, input]) => ({ tool, input })));
  }
}

function expectHeard(person: Person, ...pieces: string[]): void {
  expect(person.failed()).toBeUndefined();
  for (const piece of pieces) {
    expect(person.heard()).toContain(piece);
  }
}

const parallel = proposals["parallel"]?.calls ?? [];

const scenarios: Record<string, (scene: Scene) => Promise<void>> = {
  hello: async ({ person }) => {
    await person.say("hello");
    expectHeard(person);
    expect(person.heard()).toBe(greeting.join(""));
  },

  "two turns": async ({ person }) => {
    await person.say("hello");
    await person.say("one more thing");
    expectHeard(person, "one more thing");
  },

  "many words": async ({ person }) => {
    await person.say("stream 300");
    const words = person.heard().trim().split(" ");
    expect(words).toHaveLength(300);
    expect(words.at(-1)).toBe("word300");
  },

  reasoning: async ({ person, agent }) => {
    await person.say("think");
    expectHeard(person);
    expect(person.reasoning()).not.toBe("");
    if (agent.executed() !== undefined) {
      expect(person.reasoning()).toBe(thoughts.join(""));
      expect(person.heard()).toBe("I thought about it.");
    }
  },

  state: async ({ person }) => {
    await person.say("state");
    expectHeard(person, "The state has two steps and is done.");
  },

  approved: async ({ person, agent }) => {
    await person.say("email");
    expect(person.asked()).toEqual(["send_email"]);
    expectRan(agent);
    await person.decide({ approved: true });
    expectHeard(person, reported("send_email", email));
    expectRan(agent, ["send_email", email]);
    await person.say("hello");
    expectHeard(person, greeting.join(""));
    expectRan(agent, ["send_email", email]);
  },

  "denied with a reason": async ({ person, agent }) => {
    await person.say("delete");
    expect(person.asked()).toEqual(["delete_database"]);
    await person.decide({ approved: false, reason: "too risky" });
    expectHeard(person, refused("delete_database", "too risky"));
    await person.say("hello");
    expectHeard(person, greeting.join(""));
    expectRan(agent);
  },

  "denied without a reason": async ({ person, agent }) => {
    await person.say("delete");
    await person.decide({ approved: false });
    expectHeard(person, refused("delete_database", undefined));
    expectRan(agent);
  },

  edited: async ({ person, agent }) => {
    const other = { ...email, to: "grace@example.com" };
    await person.say("email");
    await person.decide({ approved: true, editedArgs: other });
    if (agent.edits) {
      expectHeard(person, reported("send_email", other));
      expectRan(agent, ["send_email", other]);
      return;
    }
    expect(person.failed()).toContain("edits_not_supported");
    expectRan(agent);
  },

  "three at once": async ({ person, agent }) => {
    await person.say("parallel");
    expect(person.asked()).toEqual(parallel.map(({ tool }) => tool));
    await person.decide(
      { approved: true },
      { approved: false, reason: "not to her" },
      { approved: true },
    );
    expectHeard(
      person,
      "I sent the email to ada@example.com.",
      refused("send_email", "not to her"),
      "Done: delete_database.",
    );
    expectRan(
      agent,
      ["send_email", parallel[0]?.input],
      ["delete_database", parallel[2]?.input],
    );
  },

  "approvals in two turns": async ({ person, agent }) => {
    await person.say("email");
    await person.decide({ approved: true });
    await person.say("email");
    expect(person.asked()).toEqual(["send_email"]);
    expectRan(agent, ["send_email", email]);
    await person.decide({ approved: false });
    expectHeard(person, refused("send_email", undefined));
    expectRan(agent, ["send_email", email]);
  },

  "form filled in": async (scene) => {
    const { person } = scene;
    await person.say("book");
    expect(person.form()).toMatchObject({
      properties: {
        guests: { type: "integer", minimum: 1, maximum: 10 },
        date: { format: "date" },
        email: { format: "email" },
        seating: { enum: ["window", "garden", "bar"] },
      },
    });
    await person.submit(booking);
    expectHeard(
      person,
      ...withForm(scene, "Your booking is confirmed", booking),
    );
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "form declined": async (scene) => {
    const { person } = scene;
    await person.say("book");
    await person.decline();
    expectHeard(person, withoutForm(scene, false));
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "form given up": async (scene) => {
    const { person } = scene;
    await person.say("book");
    await person.giveUp();
    expectHeard(person, withoutForm(scene, true));
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "questions answered": async (scene) => {
    const { person } = scene;
    await person.say("ask");
    const [one = "", many = "", ...more] = person.questions();
    expect(more).toEqual([]);
    await person.submit({ [one]: "in my own words", [many]: ["Cheese"] });
    expectHeard(person, "in my own words");
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "questions declined": async ({ person }) => {
    await person.say("ask");
    await person.decline();
    expectHeard(person);
    expect(person.heard()).toMatch(/declined|gave the request up/);
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "tool of the front end": async ({ person }) => {
    await person.say("locate");
    await person.give("get_location", "Berlin");
    expectHeard(person, "The client tool returned: Berlin");
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "agent fails": async ({ person }) => {
    await person.say("fail");
    expect(person.failed()).toContain(failure);
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  "connection breaks": async ({ person }) => {
    await person.say("drop");
    expect(person.failed()).toContain("upstream_truncated");
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },

  stopped: async ({ person }) => {
    await person.interrupt("slow 600");
    await person.say("hello");
    expectHeard(person, greeting.join(""));
  },
};

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

  const played = Object.entries(scenarios).filter(
    // A chat of the AI SDK has no way to edit.
    ([scenario]) => scenario !== "edited" || face.startsWith("AG-UI"),
  );
  test.each(played)("%s", async (scenario, play) => {
    let passed = false;
    try {
      await play({ person, agent, face });
      await person.valid();
      expect(agent.errors().filter((each) => !expected(each))).toEqual([]);
      passed = true;
    } finally {
      results.add(scenario, face, agent.protocol, passed);
    }
  });
});

/** Errors that the scenarios themselves make an agent have. */
function expected(error: unknown): boolean {
  return /failed, as it was told to|abort/i.test(String(error));
}
