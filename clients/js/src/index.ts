export { WebSocketAgent } from "./websocket-agent.js";
export type { WebSocketAgentConfig, WebSocketConstructor } from "./websocket-agent.js";
export { BridgeConnectionError, BridgeFrameError, RunInProgressError } from "./errors.js";
export type { BridgeErrorCode } from "./errors.js";
