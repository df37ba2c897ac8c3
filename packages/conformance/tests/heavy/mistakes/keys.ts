/** Mistakes about keys: who is let in, and what is told to those who are not. */

import { createHash } from "node:crypto";
import { KEY } from "../../../../../tests/support/api.ts";
import {
  answers,
  each,
  everyNth,
  fieldOf,
  forgets,
  idIn,
  inTurn,
  isCreate,
  isGet,
  isList,
  letsIn,
  type Mistakes,
  parameterOf,
  takes,
  type Where,
  withKey,
} from "./planting.ts";

/** Whole values of Authorization that are taken for the right one. */
const CREDENTIALS: Record<string, string> = {
  "no credentials": "",
  "all of the key but its last character": `Bearer ${KEY.slice(0, -1)}`,
  "the key without underscores": `Bearer ${KEY.replaceAll("_", "")}`,
  "the key in capitals": `Bearer ${KEY.toUpperCase()}`,
  "the key and a zero byte": `Bearer ${KEY}%00`,
  "the key in Base64": `Bearer ${btoa(KEY)}`,
  "the digest of the key": `Bearer ${createHash("sha256").update(KEY).digest("hex")}`,
  "null": "Bearer null",
  "an asterisk": "Bearer *",
  "an injection": "Bearer ' OR '1'='1",
  "the key without a scheme": KEY,
  "the key as a password": `Basic ${btoa(`user:${KEY}`)}`,
  "the key in quotes after Token": `Token token="${KEY}"`,
};

const authorization = (request: Request) => fieldOf(request, "authorization");
const tokenOf = (request: Request) => /^Bearer (.*)$/.exec(authorization(request))?.[1] ?? "";
const isRight: Where = (request) => tokenOf(request) === KEY;

/** Requests that are let in, at one endpoint. */
const REQUESTS: Record<string, Where> = {
  "any key": (request) => tokenOf(request) !== "",
  "anything that begins with the key": (request) => tokenOf(request).startsWith(KEY),
  "anything that ends with the key": (request) => tokenOf(request).endsWith(KEY),
  "the first 16 characters and any others": (request) => tokenOf(request).startsWith(KEY.slice(0, 16)),
  "the key with any scheme": (request) => authorization(request).split(" ")[1] === KEY,
  "a wrong key after bearer in small letters": (request) => authorization(request).startsWith("bearer "),
  "the key as any field": ({ headers }) => [...headers.values()].includes(KEY),
  "the key as any parameter": ({ url }) => [...new URL(url).searchParams.values()].includes(KEY),
  "a request for localhost": (request) => fieldOf(request, "x-forwarded-host").startsWith("localhost"),
  "a request for XML": (request) => fieldOf(request, "accept").includes("xml"),
};

/** Fields and parameters in which the key is looked for, and those for which no key is needed. */
const FIELDS_WITH_KEY = ["x-api-key", "cookie", "sec-websocket-protocol"];
const PARAMETERS_WITH_KEY = ["api_key", "access_token"];
const FREE_FIELDS = ["if-none-match", "x-remote-user", "origin"];
const FREE_PARAMETERS = ["status", "limit"];

const named = (before: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [before + name, name]));
const at = (where: Where, isAdmitted: Where): Where => (request) => where(request) && isAdmitted(request);

/** Requests that are let in at the endpoint of their kind, or only sometimes. */
const ONE_KIND: Record<string, Where> = {
  "a list of 50 or more": (request) => isList(request) && Number(parameterOf(request, "limit")) >= 50,
  "the first pet": (request) => isGet(request) && idIn(request) === 1n,
  "a create with an empty body": ({ method, body }) => method === "POST" && body === null,
};

/** Shows to everybody what the right key was shown before. */
const keeps = (where: Where): Mistakes[string] => (next) => {
  const kept = new Map<string, Response>();
  return async (request) => {
    const before = where(request) && !isRight(request) && kept.get(request.url);
    if (before) return before.clone();
    const response = await next(request);
    if (response.status === 200) kept.set(request.url, response.clone());
    return response;
  };
};

const TOLD: Mistakes = {
  "answers 403 without the right key": answers((seen) => void (seen.status === 401 && (seen.status = 403))),
  "answers 404 before it looks at the key": (next) => async (request) => {
    const found = isGet(request) ? await next(withKey(request)) : undefined;
    return found?.status === 404 ? found : await next(request);
  },
  "shows lists that it keeps to everybody": keeps(isList),
  "removes a pet by DELETE without a key": (next) => {
    const gone = new Set<bigint>();
    const without = forgets((id) => gone.has(id))(next);
    return (request) => {
      if (request.method === "DELETE") gone.add(idIn(request));
      return without(request);
    };
  },
  "takes any other method as GET": takes(
    ({ url, headers }) => withKey(new Request(url, { headers })),
    ({ method }) => method === "OPTIONS",
  ),
  "lets in the key in the path": takes(
    (request) => withKey(new Request(request.url.replace(`;key=${KEY}`, ""), request)),
    ({ url }) => url.includes(`;key=${KEY}`),
  ),
  "lets in the key in a body": takes(async (request) => {
    const text = await request.clone().text();
    return text.includes(`Key":"${KEY}"`) ? withKey(request) : request;
  }, isCreate),
  "lets in each 7th request without a key": everyNth(7, (request) => !authorization(request), takes(withKey)),
  "lets in each 40th request with a wrong key": everyNth(40, (request) => !isRight(request), takes(withKey)),
};

const letIn = (table: Mistakes): Mistakes =>
  Object.fromEntries(Object.entries(table).map(([what, mistake]) => [`lets in ${what}`, mistake]));

export const KEY_MISTAKES: Mistakes = {
  ...letIn({
    ...inTurn(CREDENTIALS, (value, where) => letsIn(at(where, (request) => authorization(request) === value))),
    ...inTurn(REQUESTS, (isAdmitted, where) => letsIn(at(where, isAdmitted))),
    ...inTurn(
      named("the key in ", FIELDS_WITH_KEY),
      (name, where) => letsIn(at(where, (request) => fieldOf(request, name).includes(KEY))),
    ),
    ...inTurn(
      named("the key as ", PARAMETERS_WITH_KEY),
      (name, where) => letsIn(at(where, (request) => parameterOf(request, name) === KEY)),
    ),
    ...inTurn(
      named("a request with ", FREE_FIELDS),
      (name, where) => letsIn(at(where, ({ headers }) => headers.has(name))),
    ),
    ...inTurn(
      named("a request with the parameter ", FREE_PARAMETERS),
      (name, where) => letsIn(at(where, ({ url }) => new URL(url).searchParams.has(name))),
    ),
    ...each(ONE_KIND, letsIn),
  }),
  ...TOLD,
};
