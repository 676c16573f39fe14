/**
 * What the test agents of both protocols play. The first word of the user's last message
 * picks the scenario, as with the built-in demo agents, and the answers are worded alike,
 * so that one list of expectations can be held against all of them.
 */
export interface Said {
  /** The first word, in lower case. */
  word: string;
  /** What follows it. */
  rest: string;
  whole: string;
}

export function heard(message: string): Said {
  const whole = message.trim();
  const [word = "", ...rest] = whole.split(" ");
  return { word: word.toLowerCase(), rest: rest.join(" ").trim(), whole };
}

/** N of "stream N". */
export function count(rest: string): number {
  const n = Number.parseInt(rest, 10);
  return Number.isNaN(n) ? 10 : Math.min(Math.max(n, 1), 1_000_000);
}

export function words(n: number): string[] {
  return Array.from({ length: n }, (_, i) => `word${String(i + 1)} `);
}

export const greeting = ["Hello", "! ", "How can ", "I help", " you?"];
export const thoughts = ["The user wants ", "to see me think. ", "So I think."];

export interface Email {
  to: string;
  subject: string;
  body: string;
}

export const email: Email = {
  to: "ada@example.com",
  subject: "Hello",
  body: "How are you?",
};

/** A call that an agent proposes, and the words it asks with. */
export interface Proposal {
  tool: string;
  input: unknown;
  ask: string;
}

export const proposals: Record<
  string,
  { text: string; calls: [Proposal, ...Proposal[]] }
> = {
  email: {
    text: "I would like to send this email.",
    calls: [{ tool: "send_email", input: email, ask: "Send this email?" }],
  },
  delete: {
    text: "This needs your permission.",
    calls: [
      {
        tool: "delete_database",
        input: { name: "production" },
        ask: "Delete the database production?",
      },
    ],
  },
  parallel: {
    text: "Three things at once.",
    calls: [
      {
        tool: "send_email",
        input: { to: "ada@example.com", subject: "One", body: "First" },
        ask: "Send the email to Ada?",
      },
      {
        tool: "send_email",
        input: { to: "grace@example.com", subject: "Two", body: "Second" },
        ask: "Send the email to Grace?",
      },
      {
        tool: "delete_database",
        input: { name: "staging" },
        ask: "Delete the database staging?",
      },
    ],
  },
};

export const bookingMessage = "Please complete your booking.";
export const bookingSchema = {
  type: "object",
  properties: {
    guests: { type: "integer", title: "Guests", minimum: 1, maximum: 10 },
    date: { type: "string", title: "Date", format: "date" },
    email: { type: "string", title: "Email", format: "email" },
    seating: {
      type: "string",
      title: "Seating",
      enum: ["window", "garden", "bar"],
    },
  },
  required: ["guests", "date", "email", "seating"],
};

export const questions = {
  questions: [
    {
      header: "Colour",
      question: "Which colour do you like best?",
      options: [
        { label: "Red", description: "Warm" },
        { label: "Blue", description: "Cool" },
      ],
    },
    {
      header: "Toppings",
      question: "What goes on your pizza?",
      options: [{ label: "Cheese" }, { label: "Olives" }, { label: "Basil" }],
      multi_select: true,
    },
  ],
};

/** What the tools return that need approval. */
export function outcomeOf(tool: string, input: unknown): unknown {
  return tool === "send_email"
    ? { sent: true, ...(input as Email) }
    : { done: true, args: input };
}

/** How an agent closes after a tool ran. */
export function reported(tool: string, output: unknown): string {
  return tool === "send_email"
    ? `I sent the email to ${(output as Email).to}.`
    : `Done: ${tool}.`;
}

/** How an agent closes after a tool was not allowed to run. */
export function refused(tool: string, reason: string | undefined): string {
  const text = `You denied ${tool}, so I did not run it.`;
  return reason === undefined || reason === ""
    ? text
    : `${text} Your reason: ${reason}`;
}

export const failure = "the demo agent failed, as it was told to";

/** What a person fills the form of "book" in with. */
export const booking = {
  guests: 2,
  date: "2030-01-02",
  email: "ada@example.com",
  seating: "garden",
};
