import { readDeprecation } from "./deprecation.ts";
import type { ClientSettings } from "./options.ts";
import { createHide } from "./redaction.ts";
import { type Answer, type Exchange, send } from "./request.ts";
import { retry } from "./retry.ts";

export interface CallParts<T> {
  operation: string;
  method: "GET" | "POST";
  /** The path below the base address, with its query. */
  path: string;
  body?: string;
  /** Makes a write safe to repeat. With `null`, the request is sent once. */
  idempotencyKey?: string | null;
  /** Reads the body of a success; see {@link Exchange.parse}. */
  parse: Exchange<T>["parse"];
  signal: AbortSignal | undefined;
}

export type Call = <T>(parts: CallParts<T>) => Promise<Answer<T>>;

export function createCall({ baseUrl, key, fetch, timeoutMs, maxRetries, onDeprecation }: ClientSettings): Call {
  /** The operations whose deprecation the app has been told about. */
  const told = new Set<string>();
  const hide = createHide(key);
  return (parts) => {
    const { operation, method, path, body, idempotencyKey, parse, signal: signalOfApp } = parts;
    const isOnce = idempotencyKey === null;
    // A redirect could lead the key to another server, and would make a GET of a POST.
    const init: RequestInit & { duplex: "half" } = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...body && { "content-type": "application/json" },
        ...idempotencyKey && { "idempotency-key": idempotencyKey },
      },
      redirect: "manual" as const,
      // A browser may keep a response that was cut, and answer every later attempt with it after a 304. Only browsers get the member,
      // because some Workers refuse it.
      ...(globalThis as { location?: object }).location && { cache: "no-store" as const },
      // Deno repeats a request itself if a kept connection ends before the response, unless the body is a stream, which a browser
      // may not take.
      body: isOnce && body !== undefined && /Deno/.test(globalThis.navigator?.userAgent)
        ? new Blob([body]).stream()
        : body!,
      // `fetch` refuses a streamed body without `duplex: "half"`.
      duplex: "half",
    };
    const url = baseUrl + path;
    const fetchOnce = async (signal: AbortSignal): Promise<Response> => {
      const response = await fetch(url, Object.assign(init, { signal }));
      const deprecation = onDeprecation && !told.has(operation) && readDeprecation(operation, response.headers, hide);
      if (deprecation) {
        told.add(operation);
        // The failure of a callback is ignored, because the call has a result of its own.
        Promise.resolve(deprecation).then(onDeprecation).catch(() => {});
      }
      return response;
    };
    const attempt = (signal: AbortSignal) => {
      return send({ fetch: () => fetchOnce(signal), requestLine: `${method} ${url}`, parse, hide });
    };
    return retry(attempt, { timeoutMs, maxRetries: isOnce ? 0 : maxRetries, signal: signalOfApp });
  };
}
