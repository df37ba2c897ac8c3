/**
 * A client that sends bytes which `fetch` would refuse or repair. It checks each response against the description. Deno
 * only.
 */

import type { ResponseValidator, SeenResponse } from "../openapi_validator.ts";
import {
  concat,
  decode,
  endOf,
  HEAD_END,
  isMadeByDenoServe,
  latin1,
  LINE_END,
  parseHead,
  parseRequestLine,
  type RequestLine,
} from "./message.ts";

/** A server: where it is, and what it may answer. */
export interface Endpoint {
  port: number;
  validate: ResponseValidator;
}

/** Milliseconds without an answer after which a server counts as hung. */
const GUARD = 10_000;

export class CutShort extends Error {
  readonly received: string;

  constructor(received: string) {
    super(`A response was cut short: ${JSON.stringify(received.slice(0, 200))}`);
    this.received = received;
  }
}

/** When the guard closes a connection, all that is awaited on it fails. */
export class RawSocket implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #validate: ResponseValidator;
  /** In the order of sending, which is the order of the answers. */
  readonly #unanswered: RequestLine[] = [];
  #guard: ReturnType<typeof setTimeout> | undefined;
  #buffer = new Uint8Array();
  #received = new Uint8Array();
  #isClosed = false;
  #isTimedOut = false;

  private constructor(connection: Deno.TcpConn, validate: ResponseValidator, guard: number) {
    this.#connection = connection;
    this.#validate = validate;
    this.extend(guard);
  }

  static async open({ port, validate }: Endpoint, guard = GUARD): Promise<RawSocket> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    // Otherwise the second piece of a request waits up to 40 ms for the acknowledgement of the first.
    connection.setNoDelay();
    return new RawSocket(connection, validate, guard);
  }

  extend(guard: number): void {
    clearTimeout(this.#guard);
    this.#guard = setTimeout(() => {
      this.#isTimedOut = true;
      this.close();
    }, guard);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get unread(): number {
    return this.#received.length;
  }

  /** Sends whole requests, text as UTF-8. Returns whether the other side took all bytes. */
  async send(...requests: (string | Uint8Array)[]): Promise<boolean> {
    this.#unanswered.push(...requests.map(parseRequestLine));
    return await this.sendRest(concat(...requests));
  }

  async sendRest(data: string | Uint8Array): Promise<boolean> {
    const bytes = concat(data);
    try {
      for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
      return true;
    } catch (error) {
      if (this.#isTimedOut) throw new Error("The guard closed a connection that took no bytes");
      // The server may answer and close before it has read everything.
      if (isDisconnection(error)) return false;
      throw error;
    }
  }

  async endSending(): Promise<void> {
    await this.#connection.closeWrite();
  }

  /** The next whole response, or `undefined` if the connection ended before it. Throws if it is not described. */
  async readResponse(): Promise<SeenResponse | undefined> {
    let end: number;
    while ((end = endOf(this.#received, HEAD_END)) < 0) {
      if (await this.#receive()) continue;
      if (this.#received.length === 0) return undefined;
      throw this.#cutShort();
    }
    const { status, headers } = parseHead(latin1(this.#take(end)));
    const request = status < 200 ? this.#unanswered[0] : this.#unanswered.shift();
    if (request === undefined) throw new Error(`A response that no request was sent for: ${status}`);
    // The response to HEAD has no body, whatever its headers say.
    const hasNoBody = request.method === "HEAD" || status < 200 || status === 204 || status === 304;
    const response = { status, headers, text: hasNoBody ? "" : await this.#readBody(headers) };
    if (!isMadeByDenoServe(response)) this.#validate(request.method, request.path, response);
    return response;
  }

  /** Waits until the server closes; throws if more bytes come. */
  async readEnd(): Promise<void> {
    const rest = await this.#readToEnd();
    if (rest !== "") throw new Error(`More came than was asked for: ${JSON.stringify(rest.slice(0, 200))}`);
  }

  close(): void {
    clearTimeout(this.#guard);
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #readToEnd(): Promise<string> {
    while (await this.#receive());
    return decode(this.#take(this.#received.length));
  }

  async #readBody(headers: Headers): Promise<string> {
    if (headers.get("transfer-encoding") === "chunked") return await this.#readChunks();
    const length = headers.get("content-length");
    return length === null ? await this.#readToEnd() : decode(await this.#readExactly(Number(length)));
  }

  async #readChunks(): Promise<string> {
    for (const chunks: Uint8Array[] = [];;) {
      let end: number;
      while ((end = endOf(this.#received, LINE_END)) < 0) if (!await this.#receive()) throw this.#cutShort();
      const size = Number.parseInt(decode(this.#take(end)), 16);
      chunks.push((await this.#readExactly(size + 2)).subarray(0, size));
      if (size === 0) return decode(concat(...chunks));
    }
  }

  async #readExactly(count: number): Promise<Uint8Array> {
    while (this.#received.length < count) if (!await this.#receive()) throw this.#cutShort();
    return this.#take(count);
  }

  #take(count: number): Uint8Array {
    const taken = this.#received.slice(0, count);
    this.#received = this.#received.slice(count);
    return taken;
  }

  async #receive(): Promise<boolean> {
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(32_768);
    let count: number | null;
    try {
      count = await this.#connection.read(this.#buffer);
    } catch (error) {
      if (this.#isTimedOut) throw new Error("The guard closed a connection on which nothing came");
      if (!isDisconnection(error)) throw error;
      count = null;
    }
    if (count === null) return false;
    this.#received = concat(this.#received, this.#buffer.subarray(0, count));
    return true;
  }

  #cutShort(): CutShort {
    return new CutShort(latin1(this.#received));
  }
}

/** Sends a request on a new connection and reads the first final response. */
export async function exchange(endpoint: Endpoint, request: string | Uint8Array): Promise<SeenResponse | undefined> {
  using socket = await RawSocket.open(endpoint);
  // Not awaited: a server that answers early stops reading.
  const sending = socket.send(request);
  let response = await socket.readResponse();
  while (response !== undefined && response.status < 200) response = await socket.readResponse();
  socket.close();
  await sending.catch(() => false);
  return response;
}

/** Whether an error means that the connection was closed. */
export function isDisconnection(error: unknown): boolean {
  return [
    ...[Deno.errors.BrokenPipe, Deno.errors.ConnectionReset, Deno.errors.ConnectionAborted, Deno.errors.NotConnected],
    ...[Deno.errors.BadResource, Deno.errors.Interrupted],
  ].some((kind) => error instanceof kind);
}
