/** A client that sends bytes, so that a test can send what `fetch` would refuse or repair. Deno only. */

/** A response as it came over the wire. */
export interface RawResponse {
  status: number;
  /** By lower-case name; of a name that came twice, the last. */
  headers: Map<string, string>;
  text: string;
}

/** What stands out of an exchange: a server that answers nothing within this many milliseconds hangs. */
const GUARD = 10_000;

/** A connection. Whatever it awaits ends with an error, at the latest when the guard closes it. */
export class RawSocket implements Disposable {
  readonly #connection: Deno.TcpConn;
  readonly #guard: ReturnType<typeof setTimeout>;
  #received = new Uint8Array();
  #isClosed = false;
  #isTimedOut = false;

  private constructor(connection: Deno.TcpConn, guard: number) {
    this.#connection = connection;
    this.#guard = setTimeout(() => {
      this.#isTimedOut = true;
      this.close();
    }, guard);
  }

  static async open(port: number, guard = GUARD): Promise<RawSocket> {
    return new RawSocket(await Deno.connect({ hostname: "127.0.0.1", port }), guard);
  }

  /** Sends bytes, or text as UTF-8. Answers whether the other side took them all. */
  async send(data: string | Uint8Array): Promise<boolean> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    try {
      for (let sent = 0; sent < bytes.length;) sent += await this.#connection.write(bytes.subarray(sent));
      return true;
    } catch (error) {
      if (this.#isTimedOut) throw new Error("The guard closed a connection that took no bytes");
      // The server may answer and close before it has read everything; its answer is still to be read.
      if (isDisconnection(error)) return false;
      throw error;
    }
  }

  /** Says that nothing more will be sent, while still listening. */
  async endSending(): Promise<void> {
    await this.#connection.closeWrite();
  }

  /**
   * The next response, whole, or `undefined` if the connection ended before its first byte.
   *
   * @param method What was asked: the response to HEAD has no body, whatever its headers say.
   */
  async readResponse(method = "GET"): Promise<RawResponse | undefined> {
    let end: number;
    while ((end = indexOf(this.#received, "\r\n\r\n")) < 0) {
      if (await this.#receive()) continue;
      if (this.#received.length === 0) return undefined;
      throw this.#cutShort();
    }
    const { status, headers } = parseHead(decode(this.#take(end + 4)));
    const hasNoBody = method === "HEAD" || status < 200 || status === 204 || status === 304;
    return { status, headers, text: hasNoBody ? "" : await this.#readBody(headers) };
  }

  /** All that comes until the server closes. */
  async readToEnd(): Promise<string> {
    while (await this.#receive());
    return decode(this.#take(this.#received.length));
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

  async #readBody(headers: Map<string, string>): Promise<string> {
    if (headers.get("transfer-encoding") === "chunked") return await this.#readChunks();
    const length = headers.get("content-length");
    return length === undefined ? await this.readToEnd() : decode(await this.#readExactly(Number(length)));
  }

  async #readChunks(): Promise<string> {
    for (let text = "";;) {
      let end: number;
      while ((end = indexOf(this.#received, "\r\n")) < 0) if (!await this.#receive()) throw this.#cutShort();
      const size = Number.parseInt(decode(this.#take(end + 2)), 16);
      text += decode((await this.#readExactly(size + 2)).subarray(0, size));
      if (size === 0) return text;
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

  /** Waits for more; answers whether there was any. */
  async #receive(): Promise<boolean> {
    const buffer = new Uint8Array(65_536);
    let count: number | null;
    try {
      count = await this.#connection.read(buffer);
    } catch (error) {
      if (this.#isTimedOut) throw new Error("The guard closed a connection on which nothing came");
      if (!isDisconnection(error)) throw error;
      count = null;
    }
    if (count === null) return false;
    const joined = new Uint8Array(this.#received.length + count);
    joined.set(this.#received);
    joined.set(buffer.subarray(0, count), this.#received.length);
    this.#received = joined;
    return true;
  }

  #cutShort(): Error {
    return new Error(`A response was cut short: ${JSON.stringify(decode(this.#received).slice(0, 200))}`);
  }
}

/** Sends bytes on a connection of their own and reads the first response that is not an interim one. */
export async function exchange(
  port: number,
  data: string | Uint8Array,
  method = "GET",
): Promise<RawResponse | undefined> {
  using socket = await RawSocket.open(port);
  // Not awaited: a server that answers early stops reading, and then the rest never leaves.
  const sending = socket.send(data);
  let response = await socket.readResponse(method);
  while (response !== undefined && response.status < 200) response = await socket.readResponse(method);
  socket.close();
  await sending.catch(() => false);
  return response;
}

function parseHead(head: string): Pick<RawResponse, "status" | "headers"> {
  const [statusLine = "", ...lines] = head.trimEnd().split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]), headers: new Map(headers) };
}

function isDisconnection(error: unknown): boolean {
  return [
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionReset,
    Deno.errors.ConnectionAborted,
    Deno.errors.NotConnected,
    Deno.errors.BadResource,
    Deno.errors.Interrupted,
  ].some((kind) => error instanceof kind);
}

function indexOf(bytes: Uint8Array, text: string): number {
  const wanted = new TextEncoder().encode(text);
  return bytes.findIndex((_, start) => wanted.every((byte, i) => bytes[start + i] === byte));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
