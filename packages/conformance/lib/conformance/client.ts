/** Sends the requests of a case to a server, and keeps the last one with what came back. */

import type { Handle, SeenResponse, SentRequest } from "../http/api.ts";
import type { Exchange } from "./exchange.ts";

/**
 * The longest body that is read, decompressed: much longer than a page of 100 pets. A body without
 * an end would fill the memory.
 */
const MAX_BODY_BYTES = 16 * 2 ** 20;

/** The server under test. */
export interface ConformanceTarget {
  /** The base address of the API, such as `https://api.example/v1`. */
  baseUrl: string;
  /** A key that may read and write. */
  key: string;
  /**
   * Sends a request. It must follow no redirection of its `redirect: "manual"`, and end at its
   * signal. Default: the `fetch` of the runtime.
   */
  fetch?: Handle;
  /** The time limit of a request and its response, in milliseconds. Default: 10000. */
  timeoutMs?: number;
  /**
   * Called with the id of each pet that a case adds, and with `undefined` if a create may have
   * added one and its response has no id.
   */
  onCreate?: (id: bigint | undefined) => void;
}

/** The requests of one case. */
export interface Recorder {
  /** The exchange that was begun last. */
  last?: Exchange;
}

/**
 * Sends a request, notes what comes back, as far as it does, and tells `onCreate` of the pet that
 * it may have added.
 */
export async function exchange(
  { fetch: send = fetch, timeoutMs = 10_000, onCreate }: ConformanceTarget,
  recorder: Recorder,
  url: string,
  { body, ...init }: SentRequest,
): Promise<SeenResponse> {
  const current: Exchange = { ...init, url, body: typeof body === "string" ? body : "" };
  recorder.last = current;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // A redirection could lead to another server, which must not get the key.
    const response = await send(new Request(url, { ...init, ...body && { body }, redirect: "manual", signal }));
    current.response = { status: response.status, headers: response.headers, text: "" };
    current.response.text = await readText(response);
    return current.response;
  } catch (error) {
    const reason = signal.aborted ? `none within ${timeoutMs} ms` : reasonOf(error as Error);
    current.failure = `no whole response: ${reason}`;
    current.hasLostConnection = !signal.aborted && !current.response;
    throw new Error(current.failure);
  } finally {
    const isCreate = init.method === "POST" && url.split("?")[0]!.endsWith("/pets");
    if (isCreate && !isRefusal(current.response)) onCreate?.(idOf(current.response));
  }
}

/** Node says only "fetch failed", and has the reason in the cause. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

async function readText({ body }: Response): Promise<string> {
  // The decoder keeps a byte-order mark, because JSON may not begin with one.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`the body has more than ${MAX_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Whether a response shows that no pet was added. Any other failure may come after the pet was added. */
function isRefusal(response: SeenResponse | undefined): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500;
}

function idOf(response: SeenResponse | undefined): bigint | undefined {
  const [, digits] = /"id"\s*:\s*(-?\d+)/.exec(response?.text ?? "") ?? [];
  return digits === undefined ? undefined : BigInt(digits);
}
