/** A client that sends bytes. Deno only. */

import { concat } from "../../support/http/message.ts";
import { type Endpoint, RawSocket } from "../../support/http/raw_socket.ts";
import type { SeenResponse } from "../../support/openapi_validator.ts";
import { type Connection, cut, type Exchange } from "./host.ts";
import type { ModelRequest } from "./prediction.ts";
import type { Draft, Malformed } from "./request.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Sends over several sockets in turn, each request after the response to the one before. */
export class SocketConnection implements Connection {
  readonly #endpoint: Endpoint;
  readonly #sockets: (RawSocket | undefined)[];
  #turn = 0;

  constructor(endpoint: Endpoint, sockets: number) {
    this.#endpoint = endpoint;
    this.#sockets = Array.from({ length: sockets }, () => undefined);
  }

  async exchange(draft: Draft): Promise<Exchange> {
    this.#turn = (this.#turn + 1) % this.#sockets.length;
    const socket = this.#sockets[this.#turn] ??= await RawSocket.open(this.#endpoint);
    // Not awaited: a server that answers early stops reading.
    const sending = socket.send(toBytes(draft));
    const response = await readFinal(socket);
    if (response === undefined) throw new Error("The connection was closed without a response");
    if (isRefusedByHost(response)) throw new Error("Deno.serve has refused a request that is well-formed");
    // The server closes if it has not read the whole body, without saying so.
    const wasRead = draft.body === undefined || response.status === 201 ||
      /"code":"invalid_(json|pet)"/.test(response.text);
    if (!wasRead) this.#hangUp();
    await sending.catch(() => false);
    return { received: toReceived(draft), response };
  }

  async provoke({ bytes }: Malformed): Promise<SeenResponse | undefined> {
    this.#hangUp();
    using socket = await RawSocket.open(this.#endpoint);
    const sending = socket.send(bytes);
    // Tells a server that waits for more that nothing follows.
    await sending.then(() => socket.endSending()).catch(() => {});
    return await readFinal(socket);
  }

  close(): void {
    for (const socket of this.#sockets) socket?.close();
  }

  #hangUp(): void {
    this.#sockets[this.#turn]?.close();
    this.#sockets[this.#turn] = undefined;
  }
}

async function readFinal(socket: RawSocket): Promise<SeenResponse | undefined> {
  for (;;) {
    const response = await socket.readResponse();
    if (response === undefined || response.status >= 200) return response;
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
