import { decode, encode } from "@ag-ui/proto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One event, what the reference makes of it, and what it reads out of that again. */
export interface Vector {
  name: string;
  json: string;
  hex: string;
  decoded: string;
}

const top = new URL("../../", import.meta.url);
const events = new URL("protocol/agui/testdata/events/", top);
const testdata = new URL("protocol/agui/protobuf/testdata/", top);

export const vectorsFile = fileURLToPath(new URL("vectors.json", testdata));

/** What the reference encodes today, in the form of the committed file. */
export function generate(): string {
  return `${JSON.stringify(inputs().map(vector), null, 1)}\n`;
}

/** The events that the Go tests parse, and those of the package's own list. */
function inputs(): [name: string, json: string][] {
  const list: [string, string][] = [];
  for (const file of readdirSync(events).sort()) {
    lines(new URL(file, events)).forEach((json, i) => {
      list.push([`${file.replace(".json", "")} ${String(i + 1)}`, json]);
    });
  }
  for (const line of lines(new URL("more.txt", testdata))) {
    const colon = line.indexOf(": {");
    if (!line.startsWith("//")) {
      list.push([line.slice(0, colon), line.slice(colon + 2)]);
    }
  }
  return list;
}

function lines(file: URL): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function vector([name, json]: [string, string]): Vector {
  const bytes = encode(JSON.parse(json) as Parameters<typeof encode>[0]);
  return {
    name,
    json,
    hex: Buffer.from(bytes).toString("hex"),
    decoded: JSON.stringify(decode(bytes)),
  };
}
