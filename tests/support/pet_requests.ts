/** Requests to a petstore in this process. */

export const KEY = "pk_test";

/** A pet that a petstore accepts, as JSON. */
export const REX = '{"name":"Rex","categoryId":7}';

/** A request with the key. Headers that are given come beside its own, or replace them. */
export function petRequest(path: string, { headers, ...init }: RequestInit = {}): Request {
  const own = { authorization: `Bearer ${KEY}`, ...init.body && { "content-type": "application/json" } };
  // `fetch` refuses a streamed body without `duplex`, which the type lacks.
  const parts = { ...init, headers: { ...own, ...headers as Record<string, string> }, duplex: "half" };
  return new Request(`http://petstore.test${path}`, parts);
}
