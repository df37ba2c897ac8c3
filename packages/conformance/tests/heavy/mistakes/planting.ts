/** Plants a mistake in a petstore: it changes requests on their way in, or responses on their way out. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import type { Handle } from "../../../mod.ts";
import { KEY } from "../../../../../tests/support/api.ts";

export type Mistake = (next: Handle) => Handle;
export type Mistakes = Record<string, Mistake>;
export type Where = (request: Request) => boolean;
export type Pet = Record<string, unknown>;

export interface Seen {
  status: number;
  headers: Headers;
  text: string;
}

export const isAny: Where = () => true;
export const isCreate: Where = ({ method }) => method === "POST";
export const isGet: Where = ({ method, url }) => method === "GET" && /\/pets\/[^?]/.test(url);
export const isList: Where = (request) => request.method === "GET" && !isGet(request);
const ENDPOINTS = [isCreate, isGet, isList];

/** The value of a field of a request, or "". */
export const fieldOf = ({ headers }: Request, name: string) => headers.get(name) ?? "";

/** The value of a parameter of the query, or "". */
export const parameterOf = ({ url }: Request, name: string) => new URL(url).searchParams.get(name) ?? "";

/** The id in a path, or 0. */
export const idIn = ({ url }: Request) => BigInt(/\/pets\/(\d+)/.exec(url)?.[1] ?? 0);

/** Makes a mistake of each entry. Each is planted at one of the endpoints, in turn: create, get, list. */
export function inTurn<T>(table: Record<string, T>, plant: (entry: T, where: Where) => Mistake): Mistakes {
  return Object.fromEntries(Object.entries(table).map(([what, entry], i) => [what, plant(entry, ENDPOINTS[i % 3]!)]));
}

export function each<T>(table: Record<string, T>, plant: (entry: T) => Mistake): Mistakes {
  return inTurn(table, plant);
}

export function withKey(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${KEY}`);
  return new Request(request, { headers });
}

/** Changes requests. */
export const takes =
  (change: (request: Request) => Request | Promise<Request>, where: Where = isAny): Mistake =>
  (next) =>
  async (request) => await next(where(request) ? await change(request) : request);

/** Lets requests in. */
export const letsIn = (where: Where): Mistake => takes(withKey, where);

/** Changes responses. */
export function answers(change: (seen: Seen, request: Request) => unknown, where: Where = isAny): Mistake {
  return (next) => async (request) => {
    const { status, headers, body } = await next(request);
    const seen = { status, headers: new Headers(headers), text: await new Response(body).text() };
    if (where(request)) change(seen, request);
    seen.headers.delete("content-length");
    return new Response(seen.text === "" ? null : seen.text, { status: seen.status, headers: seen.headers });
  };
}

/** Changes the text of creates before it is read. */
export const reads = (change: (text: string) => string): Mistake =>
  takes(async (request) => {
    const before = await request.clone().text().catch(() => "");
    const text = change(before);
    // Another request would have another type, and bytes that are no text would be lost.
    if (text === before) return request;
    const { url, method, headers } = request;
    const sent = new Headers(headers);
    sent.delete("content-length");
    return new Request(url, { method, headers: sent, body: text });
  }, isCreate);

/** Changes the pet of a create before it is read. What is no pet stays as it is. */
export const stores = (change: (pet: Pet) => Pet): Mistake =>
  reads((text) => {
    try {
      const pet = parseExact(text) as Pet;
      return typeof pet?.["name"] === "string" ? asJson(change(pet)) : text;
    } catch {
      return text;
    }
  });

/** Changes pets on their way out. */
export const shows = (change: (pet: Pet) => Pet, where: Where = isAny): Mistake =>
  answers((seen) => {
    if (seen.status >= 300 || seen.text === "") return;
    const value = parseExact(seen.text);
    seen.text = asJson(Array.isArray(value) ? value.map((pet) => change(pet as Pet)) : change(value as Pet));
  }, where);

/** Changes lists. */
export const lists = (change: (pets: Pet[]) => Pet[]): Mistake =>
  answers((seen) => {
    if (seen.status === 200) seen.text = asJson(change(parseExact(seen.text) as Pet[]));
  }, isList);

/** Changes the query of lists. */
export const queries = (change: (query: URLSearchParams) => unknown): Mistake =>
  takes((request) => {
    const url = new URL(request.url);
    change(url.searchParams);
    return new Request(url, request);
  }, isList);

/** Changes the id in the path of a GET. */
export const paths = (change: (id: string) => string): Mistake =>
  takes(
    (request) => new Request(request.url.replace(/\/pets\/([^?]*)/, (_, id) => `/pets/${change(id)}`), request),
    isGet,
  );

/** Changes a field of responses that have it; null removes it. */
export function field(
  name: string,
  change: (value: string, request: Request) => string | null,
  where: (seen: Seen, request: Request) => boolean = isAny as () => boolean,
): Mistake {
  return answers((seen, request) => {
    const value = seen.headers.get(name);
    if (value === null || !where(seen, request)) return;
    const changed = change(value, request);
    if (changed === null) seen.headers.delete(name);
    else seen.headers.set(name, changed);
  });
}

/** A mistake in each nth request of a kind alone. */
export const everyNth = (n: number, kind: Where, mistake: Mistake): Mistake => (next) => {
  const wrong = mistake(next);
  let count = 0;
  return (request) => kind(request) && ++count % n === 0 ? wrong(request) : next(request);
};

/** Forgets pets. */
export const forgets = (isGone: (id: bigint, newest: bigint, request: Request) => boolean): Mistake => (next) => {
  let newest = 0n;
  return async (request) => {
    const response = await next(request);
    if (response.status === 201) newest = (parseExact(await response.clone().text()) as { id: bigint }).id;
    if (isGet(request) && response.status === 200 && isGone(idIn(request), newest, request)) {
      return await next(new Request(new URL("/v1/pets/9223372036854775807", request.url), request));
    }
    const isKept = ({ id }: Pet) => !isGone(id as bigint, newest, request);
    return await lists((pets) => pets.filter(isKept))(() => Promise.resolve(response))(request);
  };
};
