/** A client for bytes that `fetch` would refuse or repair. It validates each response. Deno only. */

import type { ResponseValidator, SeenResponse } from "../openapi_validator.ts";
import { concat, isMadeByRuntime, parseHead, parseRequestLine } from "./message.ts";
import { ResponseReader } from "./response_reader.ts";

/** A server: where it is, and what it may answer. */
export interface Endpoint {
  port: number;
  validate: ResponseValidator;
}

/** Milliseconds without a response after which a server counts as hung. */
const GUARD = 10_000;

/** When the guard closes a connection, all that is awaited on it fails. */
export class RawSocket implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #validate: ResponseValidator;
  /** In the order of sending, which is the order of the responses. */
  readonly #unanswered: ReturnType<typeof parseRequestLine>[] = [];
  readonly #reader = new ResponseReader((buffer) => this.#read(buffer));
  #guard: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #isTimedOut = false;

  private constructor(connection: Deno.TcpConn, validate: ResponseValidator, guard: number) {
    this.#connection = connection;
    this.#validate = validate;
    this.extend(guard);
  }

  static async open({ port, validate }: Endpoint, guard = GUARD): Promise<RawSocket> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    // Without this, the second piece of a request waits up to 40 ms for the acknowledgement of the first.
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
    return this.#reader.unread;
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
    const head = await this.#reader.readHead();
    if (head === undefined) return undefined;
    const { status, headers } = parseHead(head);
    const request = status < 200 ? this.#unanswered[0] : this.#unanswered.shift();
    if (request === undefined) throw new Error(`A response that no request was sent for: ${status}`);
    // The response to HEAD has no body, whatever its headers say.
    const hasNoBody = request.method === "HEAD" || status < 200 || status === 204 || status === 304;
    const response = { status, headers, text: hasNoBody ? "" : await this.#reader.readBody(headers) };
    if (!isMadeByRuntime(response)) this.#validate(request.method, request.path, response);
    return response;
  }

  /** Waits until the server closes; throws if more bytes come. */
  async readEnd(): Promise<void> {
    const rest = await this.#reader.readToEnd();
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

  /** Reads more bytes; `null` after the end. */
  async #read(buffer: Uint8Array): Promise<number | null> {
    try {
      return await this.#connection.read(buffer);
    } catch (error) {
      if (this.#isTimedOut) throw new Error("The guard closed a connection on which nothing came");
      if (!isDisconnection(error)) throw error;
      return null;
    }
  }
}

/** Sends a request on a new connection and reads the first final response. */
export async function exchange(endpoint: Endpoint, request: string | Uint8Array): Promise<SeenResponse | undefined> {
  using socket = await RawSocket.open(endpoint);
  // This is not awaited, because a server that answers early stops reading.
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
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionReset,
    Deno.errors.ConnectionAborted,
    Deno.errors.NotConnected,
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
  ].some((kind) => error instanceof kind);
}
