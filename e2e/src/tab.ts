import { AbstractAgent } from "@ag-ui/client";
import type { BaseEvent } from "@ag-ui/client";
import { from } from "rxjs";
import type { Observable } from "rxjs";
import { WebSocket } from "ws";

import type { Bridge } from "./bridge.js";
import { until } from "./wait.js";

/** The client's own pipeline and reducers, over events that were received before. */
export class Replay extends AbstractAgent {
  constructor(private readonly events: BaseEvent[]) {
    super();
  }

  run(): Observable<BaseEvent> {
    return from(this.events);
  }

  protected override connect(): Observable<BaseEvent> {
    return from(this.events);
  }
}

/** A tab that opened a thread: what it was told, up to now. */
export class Tab {
  readonly frames: BaseEvent[] = [];
  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString("utf8")) as BaseEvent);
    });
  }

  static async open(
    bridge: Bridge,
    name: string,
    threadId: string,
  ): Promise<Tab> {
    const socket = new WebSocket(`${bridge.ws}/v1/agents/${name}/agui`);
    const tab = new Tab(socket);
    await new Promise((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("error", reject);
    });
    socket.send(JSON.stringify({ type: "attach", threadId }));
    return tab;
  }

  /** Waits until n runs have ended, the restated one among them. */
  async ended(n: number): Promise<void> {
    await until(() => this.runs() >= n);
  }

  /** How many runs have ended. */
  runs(): number {
    return this.frames.filter(({ type }) =>
      ["RUN_FINISHED", "RUN_ERROR"].includes(type),
    ).length;
  }

  /** What the published client holds after all that the tab was told. */
  async holds(): Promise<Replay> {
    const agent = new Replay(
      this.frames.filter(({ type }) => (type as string) !== "attached"),
    );
    await agent.connectAgent();
    return agent;
  }

  close(): void {
    this.socket.close();
  }
}
