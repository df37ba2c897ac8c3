import type { ResponseValidator, SeenResponse } from "../../support/openapi_validator.ts";
import type { ModelRequest } from "./prediction.ts";
import type { Draft, Malformed } from "./request.ts";

export type Handle = (request: Request) => Promise<Response>;

/** A response and the request that the petstore received, which may differ from the draft. */
export interface Exchange {
  received: ModelRequest;
  response: SeenResponse;
}

/** A way to one petstore. An error that it throws is a finding. */
export interface Connection {
  /** Sends a request and reads a response that the description has. */
  exchange(draft: Draft): Promise<Exchange>;
  /** Sends bytes that are no request. Resolves with the response, or `undefined` if the connection was closed. */
  provoke(malformed: Malformed): Promise<SeenResponse | undefined>;
  close(): void;
}

const NO_BODY = new Uint8Array();

/** Calls `handle`. `Request` normalises URLs and some methods. */
export function connectInProcess(handle: Handle, validate: ResponseValidator): Connection {
  return {
    async exchange(draft) {
      const request = createRequest(draft);
      const received = {
        method: request.method,
        target: request.url.slice(ORIGIN.length),
        headers: draft.headers,
        body: draft.body ?? NO_BODY,
      };
      const sent = await handle(request);
      const response = { status: sent.status, headers: sent.headers, text: await sent.text() };
      validate(request.method, received.target.replace(/[?#].*$/s, ""), response);
      return { received, response };
    },
    provoke: () => Promise.reject(new Error("What is no request cannot be handed over")),
    close() {},
  };
}

const ORIGIN = "http://petstore.test";

/** Piece sizes that also cut a character of several bytes. */
const PIECE_SIZES = [1, 7, 64, 1000];

function createRequest({ method, target, headers, body, framing }: Draft): Request {
  const init: RequestInit = { method, headers };
  const isBodiless = /^(GET|HEAD)$/i.test(method) || body === undefined;
  if (!isBodiless && framing === "length") {
    Object.assign(init, { body, headers: [...headers, ["content-length", String(body.length)]] });
  } else if (!isBodiless) {
    Object.assign(init, { body: ReadableStream.from(cut(body)), duplex: "half" });
  }
  return new Request(ORIGIN + target, init);
}

export function* cut(body: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let start = 0, i = 0; start < body.length; i++) {
    const end = start + PIECE_SIZES[i % PIECE_SIZES.length]!;
    yield body.slice(start, end);
    start = end;
  }
}
