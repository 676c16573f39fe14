/** The codes by which the bridge names a refusal or a failure, in `RUN_ERROR.code` and in HTTP error bodies. */
export type BridgeErrorCode =
  | "invalid_input"
  | "unauthorized"
  | "forbidden"
  | "unknown_agent"
  | "unknown_thread"
  | "interrupts_pending"
  | "resume_incomplete"
  | "resume_expired"
  | "resume_invalid_payload"
  | "already_settled"
  | "edits_not_supported"
  | "queue_full"
  | "too_many_connections"
  | "rate_limited"
  | "upstream_unreachable"
  | "upstream_status"
  | "upstream_malformed"
  | "upstream_truncated"
  | "run_lost"
  | "resume_unknown"
  | "internal";

/** The connection ended before the run did. The run may still be going on at the bridge. */
export class BridgeConnectionError extends Error {
  /** The WebSocket close code; 1006 if the connection broke or never came about. */
  readonly code: number;
  /** What the bridge gave as the reason, often empty. */
  readonly reason: string;
  constructor(code: number, reason: string) {
    super(
      `the connection to the bridge ended before the run did (close code ${String(code)}${reason === "" ? "" : `: ${reason}`})`,
    );
    this.name = "BridgeConnectionError";
    this.code = code;
    this.reason = reason;
  }
}
/** The peer sent something that is not one JSON object in a text frame. */
export class BridgeFrameError extends Error {
  constructor() {
    super("the bridge sent a frame that is not a JSON object");
    this.name = "BridgeFrameError";
  }
}
/** A second run was asked of an agent whose first run has not ended. */
export class RunInProgressError extends Error {
  constructor() {
    super("this agent has a run in progress; one connection carries one run at a time");
    this.name = "RunInProgressError";
  }
}
