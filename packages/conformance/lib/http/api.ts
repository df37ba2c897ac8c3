/** A client of a petstore. */

/** Responds to a request, as `handle` of a petstore does. */
export type Handle = (request: Request) => Promise<Response>;

export type RequestBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface RequestParts {
  headers?: Record<string, string>;
  body?: RequestBody | undefined;
  /** The key of the request. `null` sends none. */
  key?: string | null;
}

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

export interface ApiResponse extends SeenResponse {
  /**
   * The method and the path of the request, and its body if it is a text, for the end of a message.
   * It is not shortened here: a part of the key would not be recognized, and so not be hidden.
   */
  request: string;
}

/** What a client knows of a petstore. */
interface ApiTarget {
  /** The base address, without a slash at the end. */
  base: string;
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

/** Sends the requests of a case. */
export type Api = ReturnType<typeof createApi>;

export function createApi({ base, key: ownKey, exchange }: ApiTarget) {
  /** Paths are relative to the base path, and a path that begins with `//` to the root. */
  async function send(
    method: string,
    path: string,
    { headers, body, key = ownKey }: RequestParts = {},
  ): Promise<ApiResponse> {
    const url = path.startsWith("//") ? new URL(path.slice(1), base).href : base + path;
    const all = new Headers(headers);
    if (key !== null && !all.has("authorization")) all.set("authorization", `Bearer ${key}`);
    const streamed = body === undefined ? {} : { body, duplex: "half" } as const;
    const seen = await exchange(url, { method, headers: all, ...streamed });
    const text = typeof body === "string" ? body : "";
    return { ...seen, request: `${method} ${path} ${text}`.trimEnd() };
  }

  return {
    /** The key that requests have unless they name another. */
    key: ownKey,
    send,
    get: (path: string, parts?: RequestParts) => send("GET", path, parts),
    /** Adds a pet. The body is JSON text, bytes, a stream, or a value of which JSON is made. */
    post(body: unknown, parts?: RequestParts) {
      const isText = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
      return send("POST", "/pets", {
        ...parts,
        headers: { "content-type": "application/json", ...parts?.headers },
        body: isText ? body as RequestBody : JSON.stringify(body),
      });
    },
  };
}

export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
