/** A petstore on `Deno.serve`, and clients that send bytes. Deno only. */

import { concat } from "../../support/http/message.ts";
import { type Endpoint, RawSocket } from "../../support/http/raw_socket.ts";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { type Connection, cut, type Exchange, type Handle, type Host } from "./host.ts";
import type { ModelRequest } from "./prediction.ts";
import type { Draft, Malformed } from "./request.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export const SOCKET: Host = {
  name: "Deno.serve",
  isRaw: true,
  connect: (handle, validate) => Promise.resolve(new SocketConnection(handle, validate)),
};

class SocketConnection implements Connection {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #abort = new AbortController();
  readonly #endpoint: Endpoint;
  #socket: RawSocket | undefined;

  constructor(handle: Handle, validate: Endpoint["validate"]) {
    const { signal } = this.#abort;
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, signal, onListen: () => {} }, handle);
    this.#endpoint = { port: this.#server.addr.port, validate };
  }

  async exchange(draft: Draft): Promise<Exchange> {
    this.#socket ??= await RawSocket.open(this.#endpoint);
    // Not awaited: a server that answers early stops reading.
    const sending = this.#socket.send(toBytes(draft));
    const answer = await readFinal(this.#socket);
    if (answer === undefined) throw new Error("The connection was closed without an answer");
    if (isRefusedByHost(answer)) throw new Error("Deno.serve has refused a request that is well-formed");
    // The server closes if it has not read the whole body, without saying so.
    const wasRead = draft.body === undefined || answer.status === 201 ||
      /"code":"invalid_(json|pet)"/.test(answer.text);
    if (!wasRead) this.#hangUp();
    await sending.catch(() => false);
    return { received: toReceived(draft), answer };
  }

  async provoke({ bytes }: Malformed): Promise<SeenResponse | undefined> {
    this.#hangUp();
    using socket = await RawSocket.open(this.#endpoint);
    const sending = socket.send(bytes);
    // Tells a server that waits for more that nothing follows.
    await sending.then(() => socket.endSending()).catch(() => {});
    return await readFinal(socket);
  }

  async close(): Promise<void> {
    this.#hangUp();
    this.#abort.abort();
    await this.#server.finished;
  }

  #hangUp(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }
}

async function readFinal(socket: RawSocket): Promise<SeenResponse | undefined> {
  for (;;) {
    const answer = await socket.readResponse();
    if (answer === undefined || answer.status >= 200) return answer;
  }
}

/** Every 400 of the petstore has a body; the socket has checked that only the host's lacks one. */
function isRefusedByHost({ status, text, headers }: SeenResponse): boolean {
  return status === 400 && text === "" && headers.get("content-length") === "0";
}

/** The written request: targets in UTF-8, headers with one byte for each character. */
function toBytes({ method, target, headers, body, framing }: Draft): Bytes {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const length = body === undefined
    ? ""
    : framing === "length"
    ? `Content-Length: ${body.length}\r\n`
    : "Transfer-Encoding: chunked\r\n";
  const head = Uint8Array.from(`${fields}${length}\r\n`, (character) => character.charCodeAt(0));
  const start = concat(`${method} ${target} HTTP/1.1\r\nHost: petstore.test\r\n`, head);
  if (body === undefined || framing === "length") return concat(start, body ?? "");
  const chunks = [...cut(body)].flatMap((piece) => [`${piece.length.toString(16)}\r\n`, piece, "\r\n"]);
  return concat(start, ...chunks, "0\r\n\r\n");
}

function toReceived({ method, target, headers, body }: Draft): ModelRequest {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return { method, target: path, headers, body: body ?? new Uint8Array() };
}
