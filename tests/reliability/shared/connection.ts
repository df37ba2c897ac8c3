/** A client's end of an HTTP/1.1 connection. It tells apart the ways in which an exchange can fail. Deno only. */

import { isDisconnection } from "../../support/raw_socket.ts";

/** An answer, whole. */
export interface Answer {
  status: number;
  headers: Map<string, string>;
  text: string;
}

/**
 * What became of a request.
 *
 * - `answered`: the answer came whole.
 * - `refused`: there was no connection to send it on.
 * - `unsent`: the connection ended before the request was sent whole, and nothing was answered.
 * - `unanswered`: it was sent whole, and the connection ended before the first byte of an answer. `sinceLast` is how many
 *   milliseconds the client had let pass since its request before.
 * - `cut`: the connection ended within the answer.
 *
 * Which of them a server may cause that ends in good order: a refused and an unsent request it has not taken. A whole
 * request without a byte of an answer is allowed too, with conditions. A server may close a persistent connection at any
 * time (RFC 9112 §9.5), and it cannot know that a request is on the way to it at that moment: for the server the
 * connection was idle. So the client must be ready to ask again (§9.3.1), but not for a POST, "unless it has some means
 * to know that the request semantics are actually idempotent […] or some means to detect that the original request was
 * never applied". The first condition is therefore that such a create has not been applied; one that the server has applied
 * it has read, and must answer. The second is that the client had been idle for a while: to one that sends a request as
 * soon as it has an answer, our server says that it is about to close, and waits for it before it does. An answer that has begun must come to its end in any case, be it with `100 Continue`: the server
 * knew of the request, and §9.6 has a server close in stages for this very purpose.
 */
export type Outcome =
  | { kind: "answered"; answer: Answer }
  | { kind: "refused" | "unsent" }
  | { kind: "unanswered"; sinceLast?: number }
  | { kind: "cut"; received: string };

/** A server that answers nothing within this many milliseconds hangs. Longer than the server's own drain. */
const GUARD = 15_000;

/** Between the head and the body of a slow client, in milliseconds. */
const PAUSE = 20;

/** An open connection, for one request at a time. */
export class Connection implements Disposable {
  readonly #tcp: Deno.TcpConn;
  #received = new Uint8Array(16_384);
  #length = 0;
  #isClosed = false;

  private constructor(tcp: Deno.TcpConn) {
    this.#tcp = tcp;
  }

  /** Connects, or answers `undefined` if nobody takes the connection. */
  static async open(port: number): Promise<Connection | undefined> {
    try {
      const tcp = await Deno.connect({ hostname: "127.0.0.1", port });
      // Else the second piece of a request waits until the first is acknowledged, which the other side puts off for 40 ms.
      tcp.setNoDelay();
      return new Connection(tcp);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Whether nothing more can be sent on it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a request and reads its answer.
   *
   * @param body Sent after a pause when the server has said that it waits for it; the request then asks for that, with
   * `Expect: 100-continue`. From there on the server knows of the request, and anything but an answer is one that was cut.
   */
  async exchange(request: string, body?: string): Promise<Outcome> {
    let isLate = false;
    const guard = setTimeout(() => {
      isLate = true;
      this.close();
    }, GUARD);
    try {
      let outcome = await this.#exchangeOne(request);
      if (body !== undefined && outcome.kind === "answered" && outcome.answer.status === 100) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        outcome = await this.#exchangeOne(body);
        if (outcome.kind !== "answered") outcome = { kind: "cut", received: "HTTP/1.1 100 Continue" };
      }
      if (isLate) throw new Error(`No answer came within ${GUARD} ms to ${request.split("\r\n", 1)[0]}`);
      if (outcome.kind !== "answered" || outcome.answer.headers.get("connection") === "close") this.close();
      return outcome;
    } finally {
      clearTimeout(guard);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#tcp.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Sends and reads nothing; answers whether the other side took all of it. */
  async send(text: string): Promise<boolean> {
    const bytes = new TextEncoder().encode(text);
    try {
      for (let sent = 0; sent < bytes.length;) sent += await this.#tcp.write(bytes.subarray(sent));
      return true;
    } catch (error) {
      // An answer may have come all the same: a server need not read on when it has answered.
      if (isGone(error)) return false;
      throw error;
    }
  }

  async #exchangeOne(text: string): Promise<Outcome> {
    return await this.#readAnswer(await this.send(text));
  }

  async #readAnswer(isSent: boolean): Promise<Outcome> {
    for (;;) {
      const answer = this.#parse();
      if (answer) return { kind: "answered", answer };
      if (await this.#receive()) continue;
      if (this.#length === 0) return { kind: isSent ? "unanswered" : "unsent" };
      return { kind: "cut", received: new TextDecoder().decode(this.#received.subarray(0, this.#length)) };
    }
  }

  /** The answer, if all of it has come. */
  #parse(): Answer | undefined {
    const bytes = this.#received.subarray(0, this.#length);
    const end = headEnd(bytes);
    if (end < 0) return undefined;
    const [first = "", ...lines] = decode(bytes.subarray(0, end - 4)).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const length = status < 200 || status === 204 || status === 304 ? 0 : Number(headers.get("content-length"));
    if (!(status >= 100) || !Number.isInteger(length)) throw new Error(`An answer of an unknown form: ${first}`);
    if (bytes.length < end + length) return undefined;
    if (status >= 200 && bytes.length > end + length) throw new Error(`More came than one answer: ${decode(bytes)}`);
    const text = decode(bytes.subarray(end, end + length));
    // What comes right behind an interim answer is the next one.
    this.#length -= end + length;
    this.#received.copyWithin(0, end + length);
    return { status, headers, text };
  }

  /** Waits for more; answers whether there was any. */
  async #receive(): Promise<boolean> {
    if (this.#length === this.#received.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#received);
      this.#received = larger;
    }
    try {
      const count = await this.#tcp.read(this.#received.subarray(this.#length));
      this.#length += count ?? 0;
      return count !== null;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }
}

/** The index after the empty line that ends the head, or −1. */
function headEnd(bytes: Uint8Array): number {
  for (let i = bytes.indexOf(13); i >= 0; i = bytes.indexOf(13, i + 1)) {
    if (bytes[i + 1] === 10 && bytes[i + 2] === 13 && bytes[i + 3] === 10) return i + 4;
  }
  return -1;
}

/** Strictly: a replacement character that stands for broken bytes would pass for one that was sent. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionRefused || isDisconnection(error);
}
