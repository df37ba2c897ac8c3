/** A client of the service: the requests that it can make, on a connection that it keeps as long as the server does. */

import { Connection, type Outcome } from "./connection.ts";
import type { IntendedPet } from "./pets.ts";

/** The key of every client. */
export const KEY = "pk_reliability_0123456789abcdef";

const AUTHORIZATION = `Authorization: Bearer ${KEY}\r\n`;

/** Keeps a connection, and opens another when that is closed. */
export class Client implements Disposable {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request, in the pieces in which it is given. */
  async send(...pieces: string[]): Promise<Outcome> {
    if (!this.#connection || this.#connection.isClosed) this.#connection = await Connection.open(this.#port);
    return await this.#connection?.exchange(...pieces) ?? { kind: "refused" };
  }

  /** Sends a request and closes the connection at once: the server gets it, and nobody the answer. */
  async abandon(...pieces: string[]): Promise<void> {
    using connection = await Connection.open(this.#port);
    await connection?.send(pieces);
  }

  [Symbol.dispose](): void {
    this.#connection?.close();
  }
}

/** A request without a body, as text. */
export function getRequest(target: string, headers: string = AUTHORIZATION): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

/** The head and the body of a request that adds a pet. */
export function createRequest({ body, key }: IntendedPet): [head: string, body: string] {
  return postRequest(body, `${AUTHORIZATION}Content-Type: application/json\r\nIdempotency-Key: ${key}\r\n`);
}

/** The head and the body of a POST to the pets. */
export function postRequest(body: string, headers: string = AUTHORIZATION): [head: string, body: string] {
  const length = new TextEncoder().encode(body).length;
  return [`POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${length}\r\n\r\n`, body];
}
