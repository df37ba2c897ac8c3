/** Talks to a listener of `node:http` byte by byte. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { withListening } from "./listening.ts";

export const KEY = "pk_test";

/** The fields of a request with the key. */
export const WITH_KEY: readonly string[] = ["Host: x", `Authorization: Bearer ${KEY}`];

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves on a free port while `use` runs. `open` opens a connection and sends a text. */
export function withServer<T>(
  listener: Listener,
  use: (open: (text: string | Uint8Array) => Socket) => Promise<T>,
): Promise<T> {
  return withListening(createServer(listener), (port) =>
    use((text) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      // The text is read as the bytes of a head are.
      return socket.setEncoding("latin1");
    }));
}

/** Sends a text over a connection, and resolves with all that comes back until the server closes it. */
export function exchange(listener: Listener, text: string | Uint8Array): Promise<string> {
  return withServer(listener, async (open) => (await Array.fromAsync(open(text))).join(""));
}

/** A head after which the server closes the connection. */
export function head(line: string, ...fields: string[]): string {
  return [`${line} HTTP/1.1`, ...fields, "Connection: close", "", ""].join("\r\n");
}
