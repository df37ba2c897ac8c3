/** Sends the requests of a case to a server, and keeps the last one with what came back. */

import { parseInt64 } from "../json.ts";
import type { ApiTarget, Handle, SeenResponse } from "../http/api.ts";
import { parseExact } from "../http/exact.ts";
import type { Exchange } from "./exchange.ts";

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

/** The longest body that is read, decompressed: much longer than a page of 100 pets. A body without an end would fill the memory. */
const MAX_BODY_BYTES = 16 * 2 ** 20;

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
  /**
   * Sends a request. It must follow no redirection of its `redirect: "manual"`, and end at its signal. Default: the `fetch` of the
   * runtime.
   */
  fetch?: Handle;
  /** The time limit of a request and its response, in milliseconds. Default: 10000. */
  timeoutMs?: number;
  /**
   * Called with the id of each pet that a case adds, and with `undefined` if a create may have added one and its
   * response has no id.
   */
  onCreate?: (id: bigint | undefined) => void;
}

/** The exchanges of one case. */
export interface Recorder {
  exchange: ApiTarget["exchange"];
  /** The exchange that was begun last. */
  last: Exchange | undefined;
}

export function createRecorder({ fetch, timeoutMs = 10_000, onCreate }: ConformanceTarget): Recorder {
  const recorder: Recorder = {
    last: undefined,
    async exchange(url, { body, ...init }) {
      const current: Exchange = recorder.last = { ...init, url, body: typeof body === "string" ? body : "" };
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(new Error(`none within ${timeoutMs} ms`)), timeoutMs);
      try {
        const request = new Request(url, { ...init, ...body && { body }, redirect: "manual", signal: abort.signal });
        if (fetch) await receive(await fetch(request), current);
        else await fetchOnce(request, (response) => receive(response, current));
        return current.response!;
      } catch (error) {
        // Node says only "fetch failed", and has the reason in the cause.
        const { message, cause } = error as Error;
        current.failure = `no whole response: ${cause instanceof Error ? cause.message : message}`;
        throw new NoResponseError(current.failure);
      } finally {
        clearTimeout(timer);
        const isCreate = init.method === "POST" && url.split("?")[0]!.endsWith("/pets");
        if (isCreate && !isRefusal(current.response)) onCreate?.(idOf(current.response));
      }
    },
  };
  return recorder;
}

/** Reads a response. Its head is kept if the body does not come, or is too long. */
async function receive(response: Response, exchange: Exchange): Promise<void> {
  const { status, headers, body } = response;
  exchange.response = { status, headers, text: "" };
  // The decoder keeps a byte-order mark, because JSON may not begin with one.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "", bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`the body has more than ${MAX_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  exchange.response.text = text + decoder.decode();
}

/** Whether a response shows that no pet was added. Any other failure may come after the pet was added. */
function isRefusal(response: SeenResponse | undefined): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500;
}

function idOf(response: SeenResponse | undefined): bigint | undefined {
  try {
    const { id } = parseExact(response?.text ?? "") as { id?: unknown };
    return typeof id === "bigint" ? id : parseInt64(String(id));
  } catch {
    return undefined;
  }
}
