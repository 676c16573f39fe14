import { AbstractAgent, EventType } from "@ag-ui/client";
import type { AgentConfig, BaseEvent, RunAgentInput } from "@ag-ui/client";
import { Observable } from "rxjs";
import type { Subscriber } from "rxjs";

import { BridgeConnectionError, BridgeFrameError, RunInProgressError } from "./errors.js";

const SUBPROTOCOL = "ag-ui.v1";
/** Closing codes an application may use itself; the bridge reads nothing into them. */
const CLOSE_NORMAL = 1000;
const CLOSE_BAD_FRAME = 4007;
/** What a WebSocket is made with: the browser's own class, or that of a package such as `ws`. */
export type WebSocketConstructor = new (url: string, protocols?: string | string[]) => WebSocket;
/** How to reach an agent behind a bridge. */
export interface WebSocketAgentConfig extends AgentConfig {
  /** The agent's address, `ws(s)://host/v1/agents/{agent}/agui`. */
  url: string;
  /** Subprotocols to offer. Default: `ag-ui.v1`. */
  protocols?: string | string[];
  /** The WebSocket class. Default: the global one, which Node has since version 22. */
  WebSocket?: WebSocketConstructor;
}
interface ActiveRun {
  readonly threadId: string;
  readonly subscriber: Subscriber<BaseEvent>;
}

/**
 * An AG-UI agent behind agui-bridge. One agent holds one connection: it is opened by the
 * first run, carries one run after the other, and is opened anew when it was lost.
 *
 * A run whose connection ends before its terminal event fails with a
 * {@link BridgeConnectionError}; it never counts as a success. Unsubscribing from a run
 * leaves it: the run goes on at the bridge. {@link abortRun} stops it.
 */
export class WebSocketAgent extends AbstractAgent {
  url: string;
  protocols: string | string[];
  private webSocket: WebSocketConstructor | undefined;
  private socket: WebSocket | undefined;
  private active: ActiveRun | undefined;
  constructor(config: WebSocketAgentConfig) {
    super(config);
    this.url = config.url;
    this.protocols = config.protocols ?? SUBPROTOCOL;
    this.webSocket = config.WebSocket;
  }
  /** Sends the input and gives the run's events, up to and including the terminal one. */
  override run(input: RunAgentInput): Observable<BaseEvent> {
    return new Observable((subscriber) => {
      if (this.active !== undefined) {
        subscriber.error(new RunInProgressError());
        return;
      }
      const run: ActiveRun = { threadId: input.threadId, subscriber };
      this.active = run;
      this.send(JSON.stringify(input), run);
      return () => {
        this.leave(run);
      };
    });
  }
  /** Stops the run in progress. It ends with the cancelled outcome, or as it was about to. */
  override abortRun(): void {
    const { active, socket } = this;
    if (active === undefined || socket === undefined) {
      return;
    }
    const cancel = JSON.stringify({ type: "cancel", threadId: active.threadId });
    if (socket.readyState === socket.OPEN) {
      socket.send(cancel);
      return;
    }
    // The input goes first: its listener was added before this one.
    socket.addEventListener("open", () => {
      if (this.active === active) {
        socket.send(cancel);
      }
    });
  }
  /** Closes the connection. A run in progress is left, not stopped, and fails here. */
  close(): void {
    this.socket?.close(CLOSE_NORMAL);
  }
  /** Makes an agent with the same conversation and a connection of its own. */
  override clone(): WebSocketAgent {
    const copy = super.clone() as WebSocketAgent;
    copy.url = this.url;
    copy.protocols = this.protocols;
    copy.webSocket = this.webSocket;
    copy.socket = undefined;
    copy.active = undefined;
    return copy;
  }
  private send(frame: string, run: ActiveRun): void {
    let socket: WebSocket;
    try {
      socket = this.connection();
    } catch (error) {
      this.fail(run, error);
      return;
    }
    if (socket.readyState === socket.OPEN) {
      socket.send(frame);
      return;
    }
    socket.addEventListener("open", () => {
      if (this.active === run) {
        socket.send(frame);
      }
    });
  }
  /** The open connection, or a new one. */
  private connection(): WebSocket {
    const known = this.socket;
    if (known !== undefined && known.readyState <= known.OPEN) {
      return known;
    }
    const make = this.webSocket ?? (globalThis.WebSocket as WebSocketConstructor | undefined);
    if (make === undefined) {
      throw new TypeError("there is no global WebSocket here: pass one as config.WebSocket");
    }
    const socket = new make(this.url, this.protocols);
    this.socket = socket;
    socket.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (this.socket === socket) {
        this.receive(event.data);
      }
    });
    // What an error event has to say comes again, with a code, in the close event.
    socket.addEventListener("error", () => undefined);
    socket.addEventListener("close", (event) => {
      this.lost(socket, new BridgeConnectionError(event.code, event.reason));
    });
    return socket;
  }
  private receive(data: unknown): void {
    const event = parse(data);
    const run = this.active;
    if (event === undefined) {
      const socket = this.socket;
      this.socket = undefined;
      socket?.close(CLOSE_BAD_FRAME, "frame is not a JSON object");
      this.fail(run, new BridgeFrameError());
      return;
    }
    // Between runs the bridge has nothing to say that belongs to anybody.
    if (run === undefined || isControl(event)) {
      return;
    }
    if (!isTerminal(event)) {
      run.subscriber.next(event);
      return;
    }
    this.active = undefined;
    run.subscriber.next(event);
    run.subscriber.complete();
  }
  private lost(socket: WebSocket, error: BridgeConnectionError): void {
    if (this.socket !== socket) {
      return;
    }
    this.socket = undefined;
    this.fail(this.active, error);
  }
  private fail(run: ActiveRun | undefined, error: unknown): void {
    if (run === undefined) {
      return;
    }
    this.active = undefined;
    run.subscriber.error(error);
  }
  /** Ends the reading of a run that has not ended: its frames must not reach the next one. */
  private leave(run: ActiveRun): void {
    if (this.active !== run) {
      return;
    }
    this.active = undefined;
    const socket = this.socket;
    this.socket = undefined;
    socket?.close(CLOSE_NORMAL);
  }
}
function parse(data: unknown): BaseEvent | undefined {
  if (typeof data !== "string") {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
      ? (value as BaseEvent)
      : undefined;
  } catch {
    return undefined;
  }
}
function isTerminal(event: BaseEvent): boolean {
  return event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
}

/** What the bridge answers to a control frame is no event of a run. */
function isControl(event: BaseEvent): boolean {
  return (event.type as string) === "unknown-thread";
}
