/** A request context without a host, for tests of code that reads a part of it. */

import type { RequestContext } from "../../lib/http/context.ts";

/** A request without a body. Header values are taken as they are: a `Request` would trim them. */
export function createContext(
  headers: Record<string, string | null>,
  method = "GET",
  target = "/v1/pets",
): RequestContext {
  return {
    method,
    target,
    targetKey: target,
    bodyUsed: false,
    client: undefined,
    header: (name) => headers[name] ?? null,
    readBody: () => Promise.resolve(new Uint8Array()),
    openBody: () => null,
    toRequest: () => new Request(`http://localhost${target}`, { method }),
  };
}
