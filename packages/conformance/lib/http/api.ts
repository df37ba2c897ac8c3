/** A client of a petstore. */

import { createPetstore, type ErrorBody, type PetstoreOptions } from "@petstore/petstore";
import { parseJson } from "./assert.ts";
import { createRandom, type Random } from "./generated/random.ts";

/** The key of the petstores under test in this process. */
export const KEY = "pk_test_0123456789abcdef";

/** Responds to a request, as `handle` of a petstore does. */
export type Handle = (request: Request) => Promise<Response>;

/** Sends requests to a petstore. */
export interface Host {
  /**
   * Mounts a handler at the root, and calls `run` with the origin, such as `http://127.0.0.1:8000`, and with a function that sends
   * a request.
   */
  use<T>(handle: Handle, run: (origin: string, send: Handle) => Promise<T>): Promise<T>;
}

export type RequestBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface RequestParts {
  headers?: Record<string, string> | [string, string][];
  body?: RequestBody;
  /** The key of the request. `null` sends none. */
  key?: string | null;
}

/** A pet as `JSON.parse` reads it. Numbers are exact only below 2^53; exact.ts reads the others. */
export type ParsedPet = Record<"id" | "categoryId", number> & Record<"name" | "status", string>;

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** A response and its JSON, typed as the case expects it. The JSON is read when a case asks for it. */
export interface ApiResponse extends SeenResponse {
  readonly json: unknown;
  readonly pet: ParsedPet;
  readonly pets: ParsedPet[];
  readonly error: ErrorBody;
  /** Whether this library sent it, so that the words of its message are known. */
  readonly isOwn: boolean;
}

/** Sends the requests of a case. Paths are relative to the base path, and a path that begins with `//` to the root. */
export interface Api {
  /** The key that requests have unless they name another. */
  readonly key: string;
  /** Makes the choices of what is sent. */
  readonly random: Random;
  send(method: string, path: string, parts?: RequestParts): Promise<ApiResponse>;
  get(path: string, parts?: RequestParts): Promise<ApiResponse>;
  /** Adds a pet. The body is JSON text, or a value of which JSON is made. */
  post(body: unknown, parts?: RequestParts): Promise<ApiResponse>;
}

/** Called for each response. It throws if one is wrong. */
export type Check = (method: string, path: string, response: SeenResponse) => void;

/** What a client knows of a petstore. */
export interface ApiTarget {
  origin: string;
  /** The base path, such as `/v1`, or empty. */
  basePath: string;
  key: string;
  random: Random;
  /** Whether the petstore is that of this library. */
  isOwn: boolean;
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

const IN_PROCESS: Host = { use: (handle, run) => run("http://petstore.example", handle) };

export function createApi({ origin, basePath, key: ownKey, random, isOwn, exchange }: ApiTarget): Api {
  const send: Api["send"] = async (method, path, { headers, body, key = ownKey } = {}) => {
    const url = path.startsWith("//") ? origin + path.slice(1) : origin + basePath + path;
    const all = new Headers(headers);
    if (key !== null && !all.has("authorization")) all.set("authorization", `Bearer ${key}`);
    const streamed = body === undefined ? {} : { body, duplex: "half" } as const;
    const seen = await exchange(url, { method, headers: all, ...streamed });
    const json = () => seen.text === "" ? undefined : parseJson(seen.text);
    return {
      ...seen,
      isOwn,
      get json() {
        return json();
      },
      get pet() {
        return json() as ParsedPet;
      },
      get pets() {
        return json() as ParsedPet[];
      },
      get error() {
        return json() as ErrorBody;
      },
    };
  };
  return {
    key: ownKey,
    random,
    send,
    get: (path, parts) => send("GET", path, parts),
    post: (body, parts) =>
      send("POST", "/pets", {
        ...parts,
        headers: { "content-type": "application/json", ...parts?.headers as Record<string, string> },
        body: typeof body === "string" || body instanceof Uint8Array ? body as RequestBody : JSON.stringify(body),
      }),
  };
}

export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Adds the length of a body that is no stream, as clients of a socket do. */
function announce({ headers, body }: SentRequest): void {
  if (body === undefined || body instanceof ReadableStream) return;
  const bytes = typeof body === "string" ? encode(body) : body;
  headers.set("content-length", String(bytes.length));
}

export async function withApi<T>(
  options: Partial<PetstoreOptions>,
  run: (api: Api) => Promise<T>,
  { host = IN_PROCESS, check }: { host?: Host | undefined; check?: Check } = {},
): Promise<T> {
  const { handle } = createPetstore({ keys: [KEY], ...options });
  return await host.use(handle, (origin, transport) => {
    const exchange: ApiTarget["exchange"] = async (url, init) => {
      if (host === IN_PROCESS) announce(init);
      const response = await transport(new Request(url, init));
      const seen = { status: response.status, headers: response.headers, text: await response.text() };
      check?.(init.method, new URL(url).pathname, seen);
      return seen;
    };
    const random = createRandom("");
    return run(createApi({ origin, basePath: options.basePath ?? "/v1", key: KEY, random, isOwn: true, exchange }));
  });
}
