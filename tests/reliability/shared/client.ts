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
  #sentAt = performance.now();

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request, and its body on demand if that is given apart. */
  async send(request: string, body?: string): Promise<Outcome> {
    if (!this.#connection || this.#connection.isClosed) this.#connection = await Connection.open(this.#port);
    const sinceLast = performance.now() - this.#sentAt;
    this.#sentAt += sinceLast;
    const outcome = await this.#connection?.exchange(request, body) ?? { kind: "refused" };
    return outcome.kind === "unanswered" ? { ...outcome, sinceLast } : outcome;
  }

  /** Sends a request and closes the connection at once: the server gets it, and nobody the answer. */
  async abandon(request: string): Promise<void> {
    using connection = await Connection.open(this.#port);
    await connection?.send(request);
  }

  [Symbol.dispose](): void {
    this.#connection?.close();
  }
}

/** A request without a body, as text. */
export function getRequest(target: string, headers: string = AUTHORIZATION): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

/** A request that adds a pet. */
export function createRequest({ body, key }: IntendedPet): string {
  return postRequest(body, AUTHORIZATION + describeCreate(key));
}

/** The same request of a client that waits for leave to send the body. */
export function createOnDemand({ body, key }: IntendedPet): [head: string, body: string] {
  const request = postRequest(body, `${AUTHORIZATION}${describeCreate(key)}Expect: 100-continue\r\n`);
  return [request.slice(0, request.length - body.length), body];
}

/** A POST to the pets. */
export function postRequest(body: string, headers: string = AUTHORIZATION): string {
  const length = new TextEncoder().encode(body).length;
  return `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

function describeCreate(key: string): string {
  return `Content-Type: application/json\r\nIdempotency-Key: ${key}\r\n`;
}
