import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An HTTP server on a port of its own. */
export interface Server {
  /** host:port */
  address: string;
  close(): Promise<void>;
}

export type Handler = (
  body: string,
  response: ServerResponse,
  request: IncomingMessage,
) => unknown;

/** Serves POST requests, each with its whole body. */
export async function serve(handle: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      Promise.resolve(
        handle(Buffer.concat(parts).toString("utf8"), response, request),
      ).catch((error: unknown) => {
        console.error("the test agent failed", error);
        response.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
