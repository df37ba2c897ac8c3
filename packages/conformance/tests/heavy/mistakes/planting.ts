/** Makes mistakes for petstores. Each changes requests on their way in, or responses on their way out. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import type { Handle } from "../../../mod.ts";
import { KEY } from "../../../../../tests/support/api.ts";

export type Mistake = (next: Handle) => Handle;

export type Pet = Record<string, unknown>;

export interface Seen {
  status: number;
  headers: Headers;
  text: string;
}

export const isCreate = ({ method }: Request) => method === "POST";
export const isGet = ({ method, url }: Request) => method === "GET" && /\/pets\/[^?]/.test(url);
export const isList = (request: Request) => request.method === "GET" && !isGet(request);
export const isAny = () => true;
export const ENDPOINTS = { create: isCreate, get: isGet, list: isList, any: isAny };

export function withKey(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${KEY}`);
  return new Request(request, { headers });
}

/** Lets requests in. */
export function admits(
  isAdmitted: (request: Request, token: string) => boolean,
  where: (request: Request) => boolean = isAny,
): Mistake {
  return (next) => (request) => {
    const token = /^Bearer (.*)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    return next(where(request) && isAdmitted(request, token) ? withKey(request) : request);
  };
}

/** Changes responses. */
export function answers(
  change: (seen: Seen, request: Request) => void,
  where: (request: Request) => boolean = isAny,
): Mistake {
  return (next) => async (request) => {
    const { status, headers, body } = await next(request);
    const seen = { status, headers: new Headers(headers), text: await new Response(body).text() };
    if (where(request)) change(seen, request);
    seen.headers.delete("content-length");
    return new Response(seen.text === "" ? null : seen.text, { status: seen.status, headers: seen.headers });
  };
}

/** Changes the text of bodies before they are read. */
export function reads(change: (text: string) => string, where: (request: Request) => boolean = isCreate): Mistake {
  return (next) => async (request) => {
    if (!where(request)) return await next(request);
    const before = await request.clone().text().catch(() => "");
    const text = change(before);
    // Another request would have another type, and bytes that are no text would be lost.
    if (text === before) return await next(request);
    const { url, method, headers } = request;
    const sent = new Headers(headers);
    sent.delete("content-length");
    return await next(new Request(url, { method, headers: sent, body: text }));
  };
}

/** Changes the query of lists. */
export function queries(change: (query: URLSearchParams) => void): Mistake {
  return (next) => (request) => {
    if (!isList(request)) return next(request);
    const url = new URL(request.url);
    change(url.searchParams);
    return next(new Request(url, request));
  };
}

/** Changes the path of a GET by id. */
export function paths(change: (id: string) => string): Mistake {
  return (next) => (request) =>
    next(
      isGet(request)
        ? new Request(request.url.replace(/\/pets\/([^?]*)/, (_, id) => `/pets/${change(id)}`), request)
        : request,
    );
}

/** Changes pets on their way out. */
export function shows(change: (pet: Pet) => Pet, where: (request: Request) => boolean = isAny): Mistake {
  return answers((seen) => {
    if (seen.status >= 300 || seen.text === "") return;
    const value = parseExact(seen.text);
    seen.text = asJson(Array.isArray(value) ? value.map((pet) => change(pet as Pet)) : change(value as Pet));
  }, where);
}

/** Changes lists that have pets. */
export function lists(change: (pets: Pet[]) => Pet[]): Mistake {
  return answers((seen) => {
    if (seen.status === 200) seen.text = asJson(change(parseExact(seen.text) as Pet[]));
  }, isList);
}

/** Changes errors. */
export function errors(status: number, change: (error: Pet) => unknown): Mistake {
  return answers((seen) => {
    if (seen.status === status && seen.text !== "") seen.text = JSON.stringify(change(JSON.parse(seen.text)));
  });
}

export const status = (from: number, to: number, where: (request: Request) => boolean = isAny) =>
  answers((seen) => {
    if (seen.status !== from) return;
    Object.assign(seen, { status: to, text: seen.text.replace(`"status":${from}`, `"status":${to}`) });
  }, where);

/** Stores a pet of a request that it refuses. */
export function storesRefused(refusal: number): Mistake {
  return (next) => async (request) => {
    const response = await next(request.clone());
    if (!isCreate(request) || response.status !== refusal) return response;
    const text = await request.text().catch(() => "");
    const name = /"name":"([^"]*)"/.exec(text)?.[1] ?? /Oddrexofaconformancetest\w*/.exec(text)?.[0] ??
      "Oddrexofaconformancetest";
    const body = JSON.stringify({ name, categoryId: 7 });
    const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
    await next(new Request(request.url, { method: "POST", headers, body }));
    return response;
  };
}

/** Answers from pets that it keeps beside the petstore. */
export function remembers(answer: (pets: Pet[], request: Request) => Pet | undefined): Mistake {
  return (next) => {
    const pets: Pet[] = [];
    return async (request) => {
      const response = await next(request);
      const text = await response.clone().text();
      if (isCreate(request) && response.status === 201) pets.push(parseExact(text) as Pet);
      const pet = response.status === 200 && isGet(request) ? answer(pets, request) : undefined;
      return pet ? new Response(asJson(pet), { headers: { "content-type": "application/json" } }) : response;
    };
  };
}

/** A mistake in some requests alone. */
export function only(where: (request: Request) => boolean, mistake: Mistake): Mistake {
  return (next) => {
    const wrong = mistake(next);
    return (request) => where(request) ? wrong(request) : next(request);
  };
}

/** A mistake in each nth request of a kind. */
export function each(n: number, kind: (request: Request) => boolean, mistake: Mistake): Mistake {
  return (next) => {
    let count = 0;
    return only((request) => kind(request) && ++count % n === 0, mistake)(next);
  };
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Lets every request in. */
export const letIn: Mistake = (next) => (request) => next(withKey(request));

/** The value of a field of a request, or "". */
export const fieldOf = (name: string) => ({ headers }: Request) => headers.get(name) ?? "";

/** The value of a parameter of the query, or "". */
export const parameter = (name: string) => ({ url }: Request) => new URL(url).searchParams.get(name) ?? "";

/** The id in a path, or 0. */
export const idIn = ({ url }: Request) => BigInt(/\/pets\/(\d+)/.exec(url)?.[1] ?? 0);

/** Forgets pets. */
export const forgets = (isGone: (id: bigint, newest: bigint, request: Request) => boolean): Mistake => (next) => {
  let newest = 0n;
  return async (request) => {
    const response = await next(request);
    if (response.status === 201) newest = (parseExact(await response.clone().text()) as { id: bigint }).id;
    const absent = new URL("/v1/pets/9223372036854775807", request.url);
    if (isGet(request) && response.status === 200 && isGone(idIn(request), newest, request)) {
      return await next(new Request(absent, request));
    }
    if (!isList(request) || response.status !== 200) return response;
    const pets = (parseExact(await response.text()) as Pet[]).filter(({ id }) =>
      !isGone(id as bigint, newest, request)
    );
    return new Response(asJson(pets), response);
  };
};
