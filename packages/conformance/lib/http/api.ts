/** A client of a petstore. */

import type { ErrorBody } from "@petstore/petstore";
import { parseExact } from "./exact_json.ts";

/** Responds to a request, as `handle` of a petstore does. */
export type Handle = (request: Request) => Promise<Response>;

export type RequestBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface RequestParts {
  headers?: Record<string, string> | [string, string][];
  body?: RequestBody;
  /** The key of the request. `null` sends none. */
  key?: string | null;
}

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** A response and its JSON, typed as the case expects it. The JSON is read when a case asks for it. */
export interface ApiResponse extends SeenResponse {
  readonly json: unknown;
  readonly error: ErrorBody;
}

/** Sends the requests of a case. Paths are relative to the base path, and a path that begins with `//` to the root. */
export interface Api {
  /** The key that requests have unless they name another. */
  readonly key: string;
  send(method: string, path: string, parts?: RequestParts): Promise<ApiResponse>;
  get(path: string, parts?: RequestParts): Promise<ApiResponse>;
  /** Adds a pet. The body is JSON text, bytes, a stream, or a value of which JSON is made. */
  post(body: unknown, parts?: RequestParts): Promise<ApiResponse>;
}

/** What a client knows of a petstore. */
export interface ApiTarget {
  origin: string;
  /** The base path, such as `/v1`, or empty. */
  basePath: string;
  key: string;
  /** Sends a request, and reads the whole response. */
  exchange(url: string, init: SentRequest): Promise<SeenResponse>;
}

/** A request for `new Request()`. */
export interface SentRequest {
  method: string;
  headers: Headers;
  body?: RequestBody;
  /** `fetch` demands this for a body that is a stream. */
  duplex?: "half";
}

export function createApi({ origin, basePath, key: ownKey, exchange }: ApiTarget): Api {
  const send: Api["send"] = async (method, path, { headers, body, key = ownKey } = {}) => {
    const url = path.startsWith("//") ? origin + path.slice(1) : origin + basePath + path;
    const all = new Headers(headers);
    if (key !== null && !all.has("authorization")) all.set("authorization", `Bearer ${key}`);
    const streamed = body === undefined ? {} : { body, duplex: "half" } as const;
    const seen = await exchange(url, { method, headers: all, ...streamed });
    const response: ApiResponse = {
      ...seen,
      get json() {
        return seen.text === "" ? undefined : parseExact(seen.text);
      },
      get error() {
        return this.json as ErrorBody;
      },
    };
    return response;
  };
  return {
    key: ownKey,
    send,
    get: (path, parts) => send("GET", path, parts),
    post(body, parts) {
      const isText = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
      return send("POST", "/pets", {
        ...parts,
        headers: { "content-type": "application/json", ...parts?.headers as Record<string, string> },
        body: isText ? body as RequestBody : JSON.stringify(body),
      });
    },
  };
}

export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
