import type { ClientSettings } from "./options.ts";
import { createHide } from "./redaction.ts";
import { type Answer, type Exchange, getAnswer } from "./request.ts";
import { readDeprecation } from "./response_fields.ts";
import { retry } from "./retry.ts";

export interface CallParts<T> {
  /** The name of the operation in the description, such as `getPet`. */
  operation: string;
  method: "GET" | "POST";
  /** The path below the base address, with its query. */
  path: string;
  body?: string;
  /** Makes a write safe to repeat. With `null`, the request is sent once. */
  idempotencyKey?: string | null;
  /** Reads the body of a success; see {@link Exchange.parse}. */
  parse: Exchange<T>["parse"];
  /** The app's own signal, which ends the call. */
  signal: AbortSignal | undefined;
}

/** Calls an operation, with retries. */
export type Call = <T>(parts: CallParts<T>) => Promise<Answer<T>>;

export function createCall({ baseUrl, key, transport, timeoutMs, maxRetries, onDeprecation }: ClientSettings): Call {
  const hide = createHide(key);
  /** The operations whose deprecation the app has been told about. */
  const told = new Set<string>();

  function tellDeprecation(operation: string, headers: Headers): void {
    if (!onDeprecation || told.has(operation)) return;
    const deprecation = readDeprecation(operation, headers, hide);
    if (!deprecation) return;
    told.add(operation);
    // The failure of a callback is ignored, because the call has a result of its own.
    Promise.resolve(deprecation).then(onDeprecation).catch(() => {});
  }

  return (parts) => {
    const { operation, method, path, idempotencyKey, parse, signal } = parts;
    const url = baseUrl + path;
    const init = requestInit(parts, key);
    const exchange = { requestLine: hide(`${method} ${url}`), parse, hide };
    const retries = idempotencyKey === null ? 0 : maxRetries;
    return retry({ timeoutMs, maxRetries: retries, signal }, (attemptSignal) =>
      getAnswer(async () => {
        const response = await transport(url, { ...init, signal: attemptSignal });
        tellDeprecation(operation, response.headers);
        return response;
      }, exchange));
  };
}

/** What the transport gets for each attempt, beside the address and the signal. */
function requestInit({ method, body, idempotencyKey }: CallParts<unknown>, key: string): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  // A redirect could lead the key to another server, and would make a GET of a POST.
  const init: RequestInit & { duplex?: "half" } = { method, headers, redirect: "manual" };
  // A browser may keep a response that was cut, and answer every later attempt with it after a 304.
  // Only browsers get the member, because some Workers refuse it.
  if ((globalThis as { location?: object }).location) init.cache = "no-store";
  if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
  if (body === undefined) return init;
  headers["content-type"] = "application/json";
  init.body = body;
  if (idempotencyKey === null && /Deno/.test(globalThis.navigator?.userAgent)) {
    // Deno repeats a request itself if a kept connection ends before the response, unless the body
    // is a stream, which a browser may not take. `fetch` refuses a streamed body without
    // `duplex: "half"`.
    init.body = new Blob([body]).stream();
    init.duplex = "half";
  }
  return init;
}
