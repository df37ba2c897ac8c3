/** Calls of an operation: all tries of a request. */

import { callSafely } from "../maybe_promise.ts";
import { readDeprecation } from "./deprecation.ts";
import type { ClientSettings } from "./options.ts";
import { type Answer, send } from "./request.ts";
import { retry } from "./retry.ts";

/** A request of an operation. */
export interface CallParts<T> {
  /** The name in the description. */
  operation: string;
  /** Below the base address, with its query. */
  path: string;
  /** The body of a POST. Without one, it is a GET. */
  body?: string;
  /** Beside the key and the type of the body. */
  headers?: Record<string, string>;
  /** Reads the body of a success; see {@link send}. */
  read: (text: string) => T;
  signal: AbortSignal | undefined;
  /** Default: that of the client. */
  maxRetries?: number;
}

export type Call = <T>(parts: CallParts<T>) => Promise<Answer<T>>;

export function createCall({ baseUrl, key, fetch, timeoutMs, maxRetries, onDeprecation }: ClientSettings): Call {
  const told = new Set<string>();
  return ({ operation, path, body, headers, read, signal: given, maxRetries: most = maxRetries }) => {
    const fields = { authorization: `Bearer ${key}`, ...body !== undefined && { "content-type": "application/json" } };
    const method = body === undefined ? "GET" : "POST";
    // A redirect could lead the key to another server, and would make a GET of a POST.
    const init = { method, headers: { ...fields, ...headers }, redirect: "manual" as const, ...body && { body } };
    const url = baseUrl + path;
    const fetchOnce = async (signal: AbortSignal): Promise<Response> => {
      const response = await fetch(url, { ...init, signal });
      const deprecation = onDeprecation && !told.has(operation) && readDeprecation(operation, response.headers);
      if (deprecation) {
        told.add(operation);
        callSafely(() => onDeprecation(deprecation));
      }
      return response;
    };
    const attempt = (signal: AbortSignal) => send(() => fetchOnce(signal), `${method} ${url}`, read);
    return retry(attempt, { timeoutMs, maxRetries: most, signal: given });
  };
}
