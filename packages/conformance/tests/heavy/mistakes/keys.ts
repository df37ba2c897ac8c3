/** Mistakes about keys: who is let in, and what is told to those who are not. */

import { createHash } from "node:crypto";
import { KEY } from "../../../../../tests/support/api.ts";
import {
  answers,
  everyNth,
  fieldOf,
  forgets,
  idIn,
  inTurn,
  isCreate,
  isGet,
  isList,
  letsIn,
  type Mistake,
  type Mistakes,
  parameterOf,
  takes,
  type Where,
  withKey,
} from "./planting.ts";

const authorization = (request: Request) => fieldOf(request, "authorization");
const tokenOf = (request: Request) => /^Bearer (.*)$/.exec(authorization(request))?.[1] ?? "";
const isRight: Where = (request) => tokenOf(request) === KEY;

/** Whole values of Authorization that are taken for the right one. */
const VALUES: Record<string, string> = {
  "no credentials": "",
  "all of the key but its last character": `Bearer ${KEY.slice(0, -1)}`,
  "the key without underscores": `Bearer ${KEY.replaceAll("_", "")}`,
  "the key in capitals": `Bearer ${KEY.toUpperCase()}`,
  "the key and a zero byte": `Bearer ${KEY}%00`,
  "the digest of the key": `Bearer ${createHash("sha256").update(KEY).digest("hex")}`,
  "an injection": "Bearer ' OR '1'='1",
  "the key without a scheme": KEY,
  "the key as a password": `Basic ${btoa(`user:${KEY}`)}`,
};

const CREDENTIALS: Record<string, Where> = Object.fromEntries(
  Object.entries(VALUES).map(([what, value]) => [what, (request) => authorization(request) === value]),
);

/** Requests that are let in, at one endpoint. */
const REQUESTS: Record<string, Where> = {
  "any key": (request) => tokenOf(request) !== "",
  "anything that begins with the key": (request) => tokenOf(request).startsWith(KEY),
  "the first 16 characters and any others": (request) => tokenOf(request).startsWith(KEY.slice(0, 16)),
  "the key with any scheme": (request) => authorization(request).split(" ")[1] === KEY,
  "the key as any field": ({ headers }) => [...headers.values()].includes(KEY),
  "the key as any parameter": ({ url }) => [...new URL(url).searchParams.values()].includes(KEY),
  "a request for localhost": (request) => fieldOf(request, "x-forwarded-host").startsWith("localhost"),
  "the key in x-api-key": (request) => fieldOf(request, "x-api-key").includes(KEY),
  "the key in a cookie": (request) => fieldOf(request, "cookie").includes(KEY),
  "the key as api_key": (request) => parameterOf(request, "api_key") === KEY,
  "a request with a condition": ({ headers }) => headers.has("if-none-match"),
  "a request of a page": ({ headers }) => headers.has("origin"),
  "a request with a status": (request) => parameterOf(request, "status") !== "",
  "a request for the first pet": (request) => idIn(request) === 1n,
  "a request for XML": (request) => fieldOf(request, "accept").includes("xml"),
};

/** Shows to everybody what the right key was shown before. */
const keeps = (where: Where): Mistake => (next) => {
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

const at = (where: Where, isAdmitted: Where): Mistake => letsIn((request) => where(request) && isAdmitted(request));

/** Each is planted at one of the endpoints, in turn. */
const LET_IN = inTurn({ ...CREDENTIALS, ...REQUESTS }, (isAdmitted, where) => at(where, isAdmitted));

export const KEY_MISTAKES: Mistakes = {
  ...Object.fromEntries(Object.entries(LET_IN).map(([what, mistake]) => [`lets in ${what}`, mistake])),
  "lets in a create with an empty body": letsIn(({ method, body }) => method === "POST" && body === null),
  ...TOLD,
};
