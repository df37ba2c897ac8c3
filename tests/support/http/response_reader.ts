/** The parts of responses, out of the bytes of a connection. */

import { Buffer } from "node:buffer";

/** The server ended the connection within a response. */
export class CutShort extends Error {
  readonly received: string;

  constructor(received: string) {
    super(`A response was cut short: ${JSON.stringify(received.slice(0, 200))}`);
    this.received = received;
  }
}

/** Strict: a replacement character would hide broken bytes. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class ResponseReader {
  readonly #read: (buffer: Uint8Array) => Promise<number | null>;
  readonly #buffer = new Uint8Array(32_768);
  /** A character for each byte. */
  #received = "";

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
    if (this.unread === 0 && !await this.#receive()) return undefined;
    return await this.#through("\r\n\r\n");
  }

  async readBody(headers: Headers): Promise<string> {
    if (headers.get("transfer-encoding") === "chunked") return decode(await this.#readChunks());
    const length = headers.get("content-length");
    return length === null ? await this.readToEnd() : decode(await this.#exactly(Number(length)));
  }

  async readToEnd(): Promise<string> {
    while (await this.#receive());
    return decode(this.#take(this.unread));
  }

  async #readChunks(): Promise<string> {
    for (let body = "";;) {
      const size = Number.parseInt(await this.#through("\r\n"), 16);
      body += (await this.#exactly(size + 2)).slice(0, size);
      if (size === 0) return body;
    }
  }

  async #through(end: string): Promise<string> {
    while (!this.#received.includes(end)) await this.#receiveMore();
    return this.#take(this.#received.indexOf(end) + end.length);
  }

  async #exactly(count: number): Promise<string> {
    while (this.unread < count) await this.#receiveMore();
    return this.#take(count);
  }

  #take(count: number): string {
    const taken = this.#received.slice(0, count);
    this.#received = this.#received.slice(count);
    return taken;
  }

  async #receiveMore(): Promise<void> {
    if (!await this.#receive()) throw new CutShort(this.#received);
  }

  /** Waits for more; returns whether there was any. */
  async #receive(): Promise<boolean> {
    const count = await this.#read(this.#buffer);
    this.#received += Buffer.from(this.#buffer.buffer, 0, count ?? 0).toString("latin1");
    return count !== null;
  }
}

function decode(received: string): string {
  return UTF_8.decode(Buffer.from(received, "latin1"));
}
