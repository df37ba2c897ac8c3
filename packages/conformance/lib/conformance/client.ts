/** Sends the requests of the cases to a server that may do anything: hang, send without an end, or break off. */

import { parseInt64 } from "../json.ts";
import { OPERATIONS } from "../http/operations.ts";
import type { ApiTarget, Handle, RequestBody, SeenResponse } from "../http/api.ts";
import { NotApplicable } from "../http/case.ts";
import { parseExact } from "../http/exact.ts";
import type { Exchange } from "./exchange.ts";

/** The most creates that all cases together may send. Those that are refused are not counted. */
const MOST_CREATES = 500;

/** Tells whether a request adds a pet. No case removes one, so each is still there at the end, which a test demands. */
const ADDING = OPERATIONS.filter(({ method }) => method === "POST");

/** The longest response that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

interface DenoClients {
  createHttpClient?(options: { poolMaxIdlePerHost: number }): { close(): void };
}

const { Deno: deno } = globalThis as { Deno?: DenoClients };

/** Deno's `fetch` sends a request again if a kept connection ends, creates too (denoland/deno #32566). So a create gets its own. */
async function fetchOnce(request: Request, receive: (response: Response) => Promise<void>): Promise<void> {
  const client = request.method === "POST" ? deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 }) : undefined;
  try {
    await receive(await fetch(request, client && { client } as RequestInit));
  } finally {
    client?.close();
  }
}

/** The request got no response, or only a part of one. */
export class NoResponseError extends Error {
  override name = "NoResponseError";
}

/** The server under test. */
export interface ConformanceTarget {
  /** The base address of the API, such as `https://api.example/v1`. */
  baseUrl: string;
  /** A key that may read and write. */
  key: string;
  /** Sends a request, and follows no redirection of its `redirect: "manual"`. Default: the `fetch` of the runtime. */
  fetch?: Handle;
  /** Decides the requests that are generated: a whole number below 2^32. Default: 1. Two runs with one seed send the same requests. */
  seed?: number;
  /** The time limit of a request and its response, in milliseconds. Default: 10000. */
  timeoutMs?: number;
  /**
   * Called with the id of each pet that a case adds, and with `undefined` if a create may have added one and its
   * response has no id.
   */
  onCreate?: (id: bigint | undefined) => void;
  /** Ends the exchange under way. From then on, each case resolves to the signal's `reason` as a text. Default: never. */
  signal?: AbortSignal;
}

/** The exchanges of one case. */
export interface Recorder {
  exchange: ApiTarget["exchange"];
  /** The exchange that was begun last. */
  readonly last: Exchange | undefined;
}

/** Makes a recorder for each case. All of them share the limit of creates. */
export function createRecorders(target: ConformanceTarget): () => Recorder {
  const { fetch, timeoutMs = 10_000, onCreate, signal } = target;
  let creates = 0;
  return () => {
    let last: Exchange | undefined;
    const exchange: ApiTarget["exchange"] = async (url, init) => {
      if (signal?.aborted) throw new NotApplicable(String(signal.reason));
      const [address] = url.split("?");
      const creating = ADDING.some(({ method, path }) => init.method === method && address!.endsWith(path));
      if (creating && ++creates > MOST_CREATES) throw new NotApplicable(`${MOST_CREATES} creates have been sent`);
      const headers = new Headers(init.headers);
      const current: Exchange = last = { method: init.method, url, headers, body: "" };
      try {
        const body = recordBody(init.body, (text) => current.body += text);
        await limit(timeoutMs, signal, async (signal) => {
          const request = new Request(url, { ...init, ...(body && { body }), redirect: "manual", signal });
          if (fetch) await receive(await fetch(request), current);
          else await fetchOnce(request, (response) => receive(response, current));
        });
      } catch (error) {
        current.failure = describeError(error);
        if (creating) onCreate?.(undefined);
        if (signal?.aborted) throw new NotApplicable(String(signal.reason));
        throw new NoResponseError(current.failure);
      }
      const response = current.response!;
      if (creating && isRefusal(response)) creates--;
      else if (creating) onCreate?.(isSuccess(response) ? idOf(response) : undefined);
      return response;
    };
    return {
      exchange,
      get last() {
        return last;
      },
    };
  };
}

/** Returns the same body, and tells `add` of its text as it is sent. */
function recordBody(body: RequestBody | undefined, add: (text: string) => void): RequestBody | undefined {
  const decoder = new TextDecoder();
  if (typeof body === "string") add(body);
  else if (body instanceof Uint8Array) add(decoder.decode(body));
  else if (body instanceof ReadableStream) {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          add(decoder.decode(chunk, { stream: true }));
          controller.enqueue(chunk);
        },
      }),
    );
  }
  return body;
}

/** Reads a response as far as it comes. What has come is kept if the rest does not. */
async function receive({ status, headers, body }: Response, exchange: Exchange): Promise<void> {
  const response: SeenResponse = exchange.response = { status, headers, text: "" };
  // The decoder keeps a byte-order mark, because JSON may not begin with one.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let size = 0;
  for await (const chunk of body ?? []) {
    response.text += decoder.decode(chunk, { stream: true });
    size += chunk.length;
    if (size > MOST_BYTES) throw new RangeError(`the response has more than ${MOST_BYTES} bytes`);
  }
  response.text += decoder.decode();
}

/** Ends work at its time limit, also work that does not heed its signal. */
async function limit(
  timeoutMs: number,
  ending: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new RangeError(`no whole response within ${timeoutMs} ms`)), timeoutMs);
  const end = () => reject(new RangeError("the run has ended"));
  ending?.addEventListener("abort", end);
  const working = work(abort.signal);
  try {
    await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
    ending?.removeEventListener("abort", end);
    working.catch(() => {});
    abort.abort();
  }
}

function describeError(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { message, cause } = error as Error;
  // Node says only "fetch failed", and has the reason in the cause.
  const reason = cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
  return `no whole response: ${reason.split("\n", 1)[0]}`;
}

/** Whether a response shows that no pet was added. Any other failure may come after the pet was added. */
function isRefusal({ status }: SeenResponse): boolean {
  return status >= 400 && status < 500;
}

function isSuccess({ status }: SeenResponse): boolean {
  return status >= 200 && status < 300;
}

function idOf({ text }: SeenResponse): bigint | undefined {
  try {
    const { id } = parseExact(text) as { id?: unknown };
    return typeof id === "bigint" ? id : parseInt64(String(id));
  } catch {
    return undefined;
  }
}
