import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** A bridge that runs: the built binary, with nothing in it replaced. */
export interface Bridge {
  http: string;
  ws: string;
  /** Stops it as a process manager does, and fails if it does not stop cleanly. */
  stop(): Promise<void>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

/** Starts the binary that AGUI_BRIDGE_BIN names, and waits until it serves. */
export async function startBridge(
  env: Record<string, string>,
): Promise<Bridge> {
  const binary = process.env["AGUI_BRIDGE_BIN"];
  if (binary === undefined || binary === "") {
    throw new Error(
      "AGUI_BRIDGE_BIN must name the built bridge; run these tests by `make e2e`",
    );
  }
  const address = `127.0.0.1:${String(await freePort())}`;
  const child = spawn(binary, [], {
    env: { AGUI_BRIDGE_ADDR: address, AGUI_BRIDGE_STORE: "memory", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => output.push(data));
  child.stderr.on("data", (data: Buffer) => output.push(data));
  const log = () => Buffer.concat(output).toString("utf8");
  await untilHealthy(`http://${address}`, child, log);
  return {
    http: `http://${address}`,
    ws: `ws://${address}`,
    stop: () => stop(child, log),
    kill: () => kill(child),
  };
}

async function untilHealthy(
  base: string,
  child: ChildProcess,
  log: () => string,
): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) {
      break;
    }
    const response = await fetch(`${base}/healthz`).catch(() => undefined);
    if (response?.ok === true) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill("SIGKILL");
  throw new Error(`the bridge does not serve:\n${log()}`);
}

async function stop(child: ChildProcess, log: () => string): Promise<void> {
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const code = await exited;
  clearTimeout(timer);
  if (code !== 0) {
    throw new Error(`the bridge stopped with ${String(code)}:\n${log()}`);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
