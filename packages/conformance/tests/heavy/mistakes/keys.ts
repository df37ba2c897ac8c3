/** Mistakes about keys: who is let in, and what is told to those who are not. */

import { createHash } from "node:crypto";
import { KEY } from "../../../../../tests/support/api.ts";
import {
  admits,
  each,
  ENDPOINTS,
  fieldOf,
  forgets,
  idIn,
  isCreate,
  isGet,
  isJson,
  isList,
  letIn,
  type Mistake,
  only,
  parameter,
  status,
  withKey,
} from "./planting.ts";

const tokens: Record<string, (request: Request, token: string) => boolean> = {
  "any prefix of the key": (_, token) => token !== "" && KEY.startsWith(token),
  "the first half of the key": (_, token) => token === KEY.slice(0, KEY.length >> 1),
  "all of the key but its last character": (_, token) => token === KEY.slice(0, -1),
  "any suffix of the key": (_, token) => token !== "" && KEY.endsWith(token),
  "anything that begins with the key": (_, token) => token.startsWith(KEY),
  "anything that has the key in it": (_, token) => token.includes(KEY),
  "the key in capitals": (_, token) => token.toLowerCase() === KEY.toLowerCase(),
  "a key of the same length": (_, token) => token.length === KEY.length,
  "null": (_, token) => token === "null",
  "undefined": (_, token) => token === "undefined",
  "any key": (_, token) => token !== "",
  "an asterisk": (_, token) => token === "*",
  "the key in quotes": (_, token) => token === `"${KEY}"`,
  "the key in a list": (_, token) => token.split(",").includes(KEY),
};

const places: Record<string, (request: Request) => boolean> = {
  ...Object.fromEntries(["key", "api_key", "access_token", "token", "apikey"].map((name) => [
    `the key as ${name} of the query`,
    ({ url }: Request) => new URL(url).searchParams.get(name) === KEY,
  ])),
  ...Object.fromEntries(["x-api-key", "api-key", "x-auth-token", "x-access-token"].map((name) => [
    `the key in ${name}`,
    ({ headers }: Request) => headers.get(name) === KEY,
  ])),
  "the key in a cookie": ({ headers }) => headers.get("cookie")?.includes(KEY) === true,
  "the key without a scheme": ({ headers }) => headers.get("authorization") === KEY,
  "the key with Basic": ({ headers }) => headers.get("authorization") === `Basic ${KEY}`,
  "the key with any scheme": ({ headers }) => headers.get("authorization")?.split(" ")[1] === KEY,
  "the key as a password": ({ headers }) =>
    [`user:${KEY}`, `${KEY}:`].some((each) => headers.get("authorization") === `Basic ${btoa(each)}`),
};

const circumstances: Record<string, (request: Request) => boolean> = {
  ...Object.fromEntries(
    ["if-none-match", "if-match", "idempotency-key", "x-forwarded-for", "x-real-ip", "origin"].map((name) => [
      `a request with ${name}`,
      ({ headers }: Request) => headers.has(name),
    ]),
  ),
  ...Object.fromEntries(["status", "cursor", "limit", "page"].map((name) => [
    `a request with ${name} in its query`,
    ({ url }: Request) => new URL(url).searchParams.has(name),
  ])),
  "a request without credentials": ({ headers }) => !headers.has("authorization"),
  "a request with credentials": ({ headers }) => headers.has("authorization"),
};

/** Mistakes of each endpoint alone, and of all. */
function everywhere(groups: Record<string, (request: Request, token: string) => boolean>): Record<string, Mistake> {
  const parts = Object.entries(ENDPOINTS);
  return Object.fromEntries(
    Object.entries(groups).flatMap(([what, isAdmitted]) =>
      parts.map(([endpoint, where]) => [`${endpoint}: lets in ${what}`, admits(isAdmitted, where)])
    ),
  );
}

const authorization = fieldOf("authorization");
const isRight = (request: Request) => authorization(request) === `Bearer ${KEY}`;
const isBare = (request: Request) => authorization(request) === "";
const basic = (request: Request) => {
  try {
    return atob(authorization(request).replace("Basic ", ""));
  } catch {
    return "";
  }
};
const decoded = (token: string) => {
  try {
    return decodeURIComponent(token);
  } catch {
    return "";
  }
};

const others: Record<string, Mistake> = {
  "the key with percent signs": admits((_, token) => token !== KEY && decoded(token) === KEY),
  "the key before a zero byte": admits((_, token) => token.split("%00")[0] === KEY),
  "the key in capitals, to a list": admits((_, token) => token === KEY.toUpperCase(), isList),
  "the key without hyphens and underscores": admits((_, token) =>
    token.replaceAll(/[-_]/g, "") === KEY.replaceAll(/[-_]/g, "")
  ),
  "the last part of the key": admits((_, token) => token === KEY.split("_").at(-1)),
  "the key in Base64": admits((_, token) => token === btoa(KEY)),
  "the digest of the key": admits((_, token) => token === createHash("sha256").update(KEY).digest("hex")),
  "a token without a signature": admits((_, token) => /^eyJ[^.]*\.[^.]*\.$/.test(token)),
  "a name of every object": admits((_, token) => token in {}),
  "an injection": admits((_, token) => /' or /i.test(token)),
  "a pattern": admits((_, token) => /^[.*%_]+$/.test(token) && token !== "*"),
  "two letters of the key that have changed places": admits((_, token) =>
    token !== KEY && [...token].sort().join("") === [...KEY].sort().join("")
  ),
  "all of the key but its first character": admits((_, token) => token === KEY.slice(1), isGet),
  "the first 16 characters of the key and any others": admits((_, token) => token.startsWith(KEY.slice(0, 16))),
  "the key as user with any password": only((request) => basic(request).startsWith(`${KEY}:`), letIn),
  "the key in quotes after Token": only((request) => authorization(request) === `Token token="${KEY}"`, letIn),
  "a wrong key after bearer in small letters": only((request) => authorization(request).startsWith("bearer "), letIn),
  "the key in Proxy-Authorization": only((request) => fieldOf("proxy-authorization")(request).includes(KEY), letIn),
  "the key in Sec-WebSocket-Protocol": only(
    (request) => fieldOf("sec-websocket-protocol")(request).includes(KEY),
    letIn,
  ),
  "the key as any field": only(({ headers }) => [...headers.values()].includes(KEY), letIn),
  "the key as auth_token of the query": only((request) => parameter("auth_token")(request) === KEY, letIn),
  "the key as any parameter of a create": only(
    (request) => isCreate(request) && [...new URL(request.url).searchParams.values()].includes(KEY),
    letIn,
  ),
  "the key in the body": (next) => async (request) => {
    const text = isCreate(request) ? await request.clone().text() : "";
    return await next(text.includes(`Key":"${KEY}"`) ? withKey(request) : request);
  },
  "the key in the path": (next) => (request) => {
    const url = request.url.replace(`;key=${KEY}`, "");
    return next(url === request.url ? request : withKey(new Request(url, request)));
  },
  "a request from an inner system": only(({ headers }) => headers.has("x-middleware-subrequest"), letIn),
  "a user whom a proxy names": only((request) => fieldOf("x-remote-user")(request) !== "", letIn),
  "a request for localhost": only((request) => fieldOf("x-forwarded-host")(request).startsWith("localhost"), letIn),
  "a request for XML": only((request) => fieldOf("accept")(request).includes("xml"), letIn),
  "a create as plain text": only(
    (request) => isCreate(request) && fieldOf("content-type")(request).startsWith("text/plain"),
    letIn,
  ),
  "a create with an empty body": only((request) => isCreate(request) && request.body === null, letIn),
  "a list of 100": only((request) => isList(request) && parameter("limit")(request) === "100", letIn),
  "a list of 50 or more": only((request) => isList(request) && Number(parameter("limit")(request)) >= 50, letIn),
  "a list of what is pending": only((request) => isList(request) && parameter("status")(request) === "pending", letIn),
  "the first pet": only((request) => isGet(request) && idIn(request) === 1n, letIn),
  "each 7th request without a key": each(7, isBare, letIn),
  "each 40th request with a wrong key": each(40, (request) => !isRight(request), letIn),
  "the 30th guess": (next) => {
    let guesses = 0;
    return only((request) => !isRight(request) && ++guesses === 30, letIn)(next);
  },
  "GET by a method override": (next) => (request) =>
    next(
      isCreate(request) && fieldOf("x-http-method-override")(request) === "GET"
        ? withKey(new Request(request.url, { headers: request.headers }))
        : request,
    ),
};

/** Shows what the right key was shown before. */
const cache = (where: (request: Request) => boolean): Mistake => (next) => {
  const kept = new Map<string, string>();
  return async (request) => {
    if (!where(request)) return await next(request);
    const text = kept.get(request.url);
    if (!isRight(request) && text !== undefined) {
      return new Response(text, { headers: { "content-type": "application/json" } });
    }
    const response = await next(request);
    if (response.status === 200) kept.set(request.url, await response.clone().text());
    return response;
  };
};

function removes(methods: readonly string[]): Mistake {
  return (next) => {
    const gone = new Set<bigint>();
    const without = forgets((id) => gone.has(id))(next);
    return (request) => {
      if (methods.includes(request.method) && idIn(request) > 0n) gone.add(idIn(request));
      return without(request);
    };
  };
}

const rest: Record<string, Mistake> = {
  "any: answers 403 without the right key": status(401, 403),
  "any: answers 404 without the right key": status(401, 404),
  "get: answers 404 before it looks at the key": (next) => async (request) => {
    if (!isGet(request)) return await next(request);
    const found = await next(withKey(request.clone()));
    return found.status === 404 ? found : await next(request);
  },
  "create: answers 400 before it looks at the key": (next) => async (request) => {
    if (!isCreate(request) || isJson(await request.clone().text())) return await next(request);
    return await next(withKey(request));
  },
  "shows lists that it keeps to everybody": cache(isList),
  "shows pets that it keeps to everybody": cache(isGet),
  "removes a pet by DELETE without a key": removes(["DELETE"]),
  "lets a request in after one with the right key": (next) => {
    let last = "";
    return (request) => {
      const isIn = !isRight(request) && last === request.url;
      last = isRight(request) ? request.url : "";
      return next(isIn ? withKey(request) : request);
    };
  },
  "lists pets for OPTIONS": (next) => (request) =>
    next(request.method === "OPTIONS" ? withKey(new Request(request.url, { headers: request.headers })) : request),
};

/** Mistakes that let in a request without the right key, or tell it something. */
export const KEY_MISTAKES: Readonly<Record<string, Mistake>> = {
  ...everywhere(tokens),
  ...everywhere(places),
  ...everywhere(circumstances),
  ...Object.fromEntries(Object.entries(others).map(([what, mistake]) => [`lets in ${what}`, mistake])),
  ...rest,
};
