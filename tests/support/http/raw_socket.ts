/** A client for bytes that `fetch` would refuse or repair. Each failure must be an Error of the petstore. Deno only. */

import { Buffer } from "node:buffer";
import { assertError, type SeenResponse } from "../openapi_validator.ts";

/** A server. */
export interface Endpoint {
  port: number;
}

/** Milliseconds without a response after which a server counts as hung. */
const GUARD = 10_000;

/** Strict: a replacement character would hide broken bytes. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** When the guard closes a connection, all that is awaited on it fails. */
export class RawSocket implements Disposable {
  readonly #connection: Deno.TcpConn;
  /** The methods in the order of sending, which is the order of the responses. */
  readonly #unanswered: string[] = [];
  readonly #buffer = new Uint8Array(32_768);
  /** What no response has used yet, a character for each byte. */
  #received = "";
  #state: "open" | "closed" | "timed out" = "open";
  readonly #guard: ReturnType<typeof setTimeout>;

  private constructor(connection: Deno.TcpConn, guard: number) {
    this.#connection = connection;
    this.#guard = setTimeout(() => this.close("timed out"), guard);
  }

  static async open({ port }: Endpoint, guard = GUARD): Promise<RawSocket> {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    // Without this, the second piece of a request waits up to 40 ms for the acknowledgement of the first.
    connection.setNoDelay();
    return new RawSocket(connection, guard);
  }

  /** Sends whole requests, text as UTF-8. */
  async send(...requests: (string | Uint8Array)[]): Promise<void> {
    this.#unanswered.push(...requests.map(methodOf));
    await this.sendRest(Buffer.concat(requests.map((request) => Buffer.from(request))));
  }

  /** The server may answer and close before it has read everything. */
  async sendRest(data: string | Uint8Array): Promise<void> {
    for (let bytes = Buffer.from(data); bytes.length > 0;) {
      const sent = await this.#whileOpen(this.#connection.write(bytes));
      if (sent === null) return;
      bytes = bytes.subarray(sent);
    }
  }

  async endSending(): Promise<void> {
    await this.#connection.closeWrite();
  }

  /**
   * The next whole response, or `undefined` if the connection ended before it. Throws if it is a
   * failure in another format.
   */
  async readResponse(): Promise<SeenResponse | undefined> {
    if (this.#received === "" && !await this.#receive()) return undefined;
    const [statusLine = "", ...lines] = (await this.#through("\r\n\r\n")).trimEnd().split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
    const headers = new Headers(lines.map((line) => /^([^:]*): *(.*)$/.exec(line)!.slice(1) as [string, string]));
    const method = status < 200 ? this.#unanswered[0] : this.#unanswered.shift();
    if (method === undefined) throw new Error(`A response that no request was sent for: ${status}`);
    // The response to HEAD has no body, whatever its headers say.
    const hasNoBody = method === "HEAD" || status < 200 || status === 204 || status === 304;
    const response = { status, headers, text: hasNoBody ? "" : decode(await this.#readBody(headers)) };
    assertError(response);
    return response;
  }

  /** Waits until the server closes; throws if more bytes come. */
  async readEnd(): Promise<void> {
    const rest = await this.#rest();
    if (rest !== "") throw new Error(`More came than was asked for: ${JSON.stringify(rest.slice(0, 200))}`);
  }

  close(state: "closed" | "timed out" = "closed"): void {
    clearTimeout(this.#guard);
    if (this.#state !== "open") return;
    this.#state = state;
    this.#connection.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #readBody(headers: Headers): Promise<string> {
    const length = headers.get("content-length");
    if (headers.get("transfer-encoding") !== "chunked") {
      return length === null ? await this.#rest() : await this.#take(Number(length));
    }
    for (let body = "";;) {
      const size = Number.parseInt(await this.#through("\r\n"), 16);
      body += (await this.#take(size + 2)).slice(0, size);
      if (size === 0) return body;
    }
  }

  async #through(end: string): Promise<string> {
    while (!this.#received.includes(end)) await this.#receiveMore();
    return await this.#take(this.#received.indexOf(end) + end.length);
  }

  async #rest(): Promise<string> {
    while (await this.#receive());
    return await this.#take(this.#received.length);
  }

  async #take(count: number): Promise<string> {
    while (this.#received.length < count) await this.#receiveMore();
    const taken = this.#received.slice(0, count);
    this.#received = this.#received.slice(count);
    return taken;
  }

  async #receiveMore(): Promise<void> {
    if (await this.#receive()) return;
    throw new Error(`A response was cut short: ${JSON.stringify(this.#received.slice(0, 200))}`);
  }

  /** Waits for more; returns whether there was any. */
  async #receive(): Promise<boolean> {
    const count = await this.#whileOpen(this.#connection.read(this.#buffer));
    this.#received += Buffer.from(this.#buffer.buffer, 0, count ?? 0).toString("latin1");
    return count !== null;
  }

  /** What work results in, or `null` if the connection was closed meanwhile. */
  async #whileOpen<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch {
      if (this.#state === "timed out") throw new Error("The guard closed a connection on which nothing moved");
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
  await sending.catch(() => {});
  return response;
}

function decode(received: string): string {
  return UTF_8.decode(Buffer.from(received, "latin1"));
}

function methodOf(request: string | Uint8Array): string {
  return Buffer.from(request).toString("latin1").split(" ", 1)[0]!;
}
