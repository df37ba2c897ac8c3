import { type ClientHttp2Session, connect } from "node:http2";

export class Http2Client implements Disposable {
  readonly #session: ClientHttp2Session;

  /** @param window Bytes that the server may send on each stream; the client never asks for more. */
  constructor(port: number, window?: number) {
    this.#session = connect(`http://127.0.0.1:${port}`, {
      settings: window === undefined ? {} : { initialWindowSize: window },
    });
    // The streams report the fate of the connection.
    this.#session.on("error", () => {});
  }

  /** Resolves when the settings of both sides are known. */
  async agreed(): Promise<void> {
    await new Promise<void>((resolve) => this.#session.once("remoteSettings", () => resolve()));
  }

  statusOf(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ":path": path, ...headers });
      stream.on("response", (headers) => resolve(headers[":status"])).on("error", reject).resume();
    });
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
