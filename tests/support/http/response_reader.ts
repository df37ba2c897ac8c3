/** The parts of responses, out of the bytes of a connection. */

import { concat, decode, endOf, HEAD_END, latin1, LINE_END } from "./message.ts";

/** The server ended the connection within a response. */
export class CutShort extends Error {
  readonly received: string;

  constructor(received: string) {
    super(`A response was cut short: ${JSON.stringify(received.slice(0, 200))}`);
    this.received = received;
  }
}

export class ResponseReader {
  readonly #read: (buffer: Uint8Array) => Promise<number | null>;
  #buffer = new Uint8Array();
  #received = new Uint8Array();

  /** @param read Fills a buffer; `null` after the end of the connection. */
  constructor(read: (buffer: Uint8Array) => Promise<number | null>) {
    this.#read = read;
  }

  /** How many bytes no response has used yet. */
  get unread(): number {
    return this.#received.length;
  }

  /** A head, or `undefined` if the connection ended before its first byte. */
  async readHead(): Promise<string | undefined> {
    const end = await this.#findEnd(HEAD_END, true);
    return end === undefined ? undefined : latin1(this.#take(end));
  }

  async readBody(headers: Headers): Promise<string> {
    if (headers.get("transfer-encoding") === "chunked") return await this.#readChunks();
    const length = headers.get("content-length");
    return length === null ? await this.readToEnd() : decode(await this.#readExactly(Number(length)));
  }

  async readToEnd(): Promise<string> {
    while (await this.#receive());
    return decode(this.#take(this.#received.length));
  }

  async #readChunks(): Promise<string> {
    for (const chunks: Uint8Array[] = [];;) {
      const size = Number.parseInt(decode(this.#take(await this.#findEnd(LINE_END) ?? 0)), 16);
      chunks.push((await this.#readExactly(size + 2)).subarray(0, size));
      if (size === 0) return decode(concat(...chunks));
    }
  }

  async #findEnd(wanted: readonly number[], mayEnd = false): Promise<number | undefined> {
    for (let end; (end = endOf(this.#received, wanted)) >= 0 || await this.#receive();) if (end >= 0) return end;
    if (mayEnd && this.unread === 0) return undefined;
    throw new CutShort(latin1(this.#received));
  }

  async #readExactly(count: number): Promise<Uint8Array> {
    while (this.#received.length < count) if (!await this.#receive()) throw new CutShort(latin1(this.#received));
    return this.#take(count);
  }

  #take(count: number): Uint8Array {
    const taken = this.#received.slice(0, count);
    this.#received = this.#received.slice(count);
    return taken;
  }

  /** Waits for more; returns whether there was any. */
  async #receive(): Promise<boolean> {
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(32_768);
    const count = await this.#read(this.#buffer);
    if (count === null) return false;
    this.#received = concat(this.#received, this.#buffer.subarray(0, count));
    return true;
  }
}
