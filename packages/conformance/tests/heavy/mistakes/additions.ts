/** Mistakes in what this project adds to the specification. The specification alone does not forbid them. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import {
  answers,
  each,
  everyNth,
  field,
  fieldOf,
  idIn,
  isCreate,
  isGet,
  isList,
  letsIn,
  type Mistake,
  type Mistakes,
  parameterOf,
  type Pet,
  queries,
  reads,
  type Seen,
  takes,
  type Where,
  withKey,
} from "./planting.ts";

const isOne: Where = (request) => idIn(request) > 0n;
const isHead: Where = ({ method }) => method === "HEAD";
const isFiltered: Where = ({ url }) => url.includes("status=");

type Place = (seen: Seen, request: Request) => boolean;
const from = (where: Where): Place => (_, request) => where(request);
const has = (status: number): Place => (seen) => seen.status === status;

/** Which field is missing, and where. */
const MISSING: [name: string, where: Place, what: string][] = [
  ["location", ({ headers }) => headers.has("idempotency-replayed"), "a retry"],
  ["etag", from(isFiltered), "lists with a status"],
  ["etag", has(304), "a 304"],
  ["link", from(isHead), "HEAD"],
  ["link", has(405), "a 405"],
  ["link", from((request) => parameterOf(request, "status") === "pending"), "a list of what is pending"],
  ["link", from((request) => isList(request) && parameterOf(request, "limit") === ""), "a list without a limit"],
  ["content-type", from(isHead), "HEAD"],
  ["deprecation", has(404), "a 404"],
  ["sunset", from(({ method }) => method === "OPTIONS"), "OPTIONS"],
  ["www-authenticate", from(isCreate), "a create"],
  ["x-content-type-options", ({ status }) => status >= 400, "errors"],
  ["x-content-type-options", from(isCreate), "a create"],
  ["accept-post", () => true, "a 415"],
  ["allow", from(({ method, url }) => method === "PATCH" && /pets\/\d/.test(url)), "PATCH of a pet"],
];

const FIELDS: Mistakes = {
  "has the Location of another pet, each 5th time": everyNth(
    5,
    isCreate,
    field("location", (value) => value.replace(/\d+$/, (id) => String(Number(id) + 1))),
  ),
  "has a Location without a base path": field("location", (value) => value.replace("/v1", "")),
  "has entity tags from the length of a pet": answers((seen) => {
    if (seen.headers.has("etag")) seen.headers.set("etag", `"${seen.text.length}"`);
  }, isGet),
  "has Deprecation for lists": answers((seen) => seen.headers.set("deprecation", "@1795132800"), isList),
  "has no error in the challenge for creates": field("www-authenticate", () => "Bearer", from(isCreate)),
  "has no HEAD in Allow for a pet": field("allow", (value) => value.replace("HEAD, ", ""), from(isOne)),
  "answers HEAD for one pet with 404": answers((seen, request) => isHead(request) && (seen.status = 404), isOne),
  "answers OPTIONS with 200": answers((seen) => seen.status === 204 && (seen.status = 200)),
  "deletes pets with 204": answers(
    (seen) => seen.status === 405 && Object.assign(seen, { status: 204, text: "" }),
    ({ method }) => method === "DELETE",
  ),
};

/** The code of an error, and the one in its place. */
const CODES: [code: string, other: string, where?: Where][] = [
  ["invalid_api_key", "missing_api_key", isCreate],
  ["invalid_api_key", "missing_api_key", (request) => !fieldOf(request, "authorization").startsWith("Bearer")],
  ["invalid_json", "invalid_pet"],
  ["pet_not_found", "not_found"],
  ["route_not_found", "pet_not_found"],
  ["not_implemented", "route_not_found"],
];

const more = (status: number): Mistake =>
  answers((seen) => seen.status === status && (seen.text = seen.text.replace(/}$/, ',"more":1}')));

const ERRORS: Mistakes = {
  ...Object.fromEntries(CODES.map(([code, other, where], i) => [
    `${i}: says ${other} for ${code}`,
    answers((seen) => seen.text = seen.text.replace(`"${code}"`, `"${other}"`), where),
  ])),
  "has a fourth member in a 400": more(400),
  "has a fourth member in a 404": more(404),
  "says one fault of two": answers((seen) => seen.text = seen.text.replace(/; [^"]*/, "")),
};

/** Changes a field of requests; null removes it. */
const sent = (name: string, change: (value: string) => string | null, where?: Where): Mistake =>
  takes((request) => {
    const headers = new Headers(request.headers);
    const changed = change(fieldOf(request, name));
    if (changed === null) headers.delete(name);
    else headers.set(name, changed);
    return new Request(request, { headers });
  }, (request) => request.headers.has(name) && (where?.(request) ?? true));

/** Continues a list at another place. */
const continues = (by: number, where: Where): Mistake => (next) => {
  const shifted = queries((query) => {
    const id = /^after:(\d+)$/.exec(atob(query.get("cursor") ?? ""))?.[1];
    if (id) query.set("cursor", btoa(`after:${Math.max(1, Number(id) + by)}`).replaceAll("=", ""));
  })(next);
  return (request) => where(request) ? shifted(request) : next(request);
};

/** The value of a parameter that is wrong, and how it is read. */
const WRONG_QUERIES: Record<string, (query: URLSearchParams) => unknown> = {
  "clamps limits above 100": (query) => Number(query.get("limit")) > 100 && query.set("limit", "100"),
  "takes a limit with spaces": (query) => query.has("limit") && query.set("limit", query.get("limit")!.trim()),
  "takes limit=10abc": (query) => query.get("limit") === "10abc" && query.delete("limit"),
  "takes a status with a capital": (query) => query.get("status") === "Sold" && query.delete("status"),
  "takes any status beside limit=1": (query) => query.get("limit") === "1" && query.delete("status"),
  "takes a wrong cursor": (query) => query.get("cursor") === "abc" && query.delete("cursor"),
};

const LISTS: Mistakes = {
  "leaves out a pet at each page of one": continues(1, (request) => parameterOf(request, "limit") === "1"),
  "shows a pet twice, at each page of three": continues(-1, (request) => parameterOf(request, "limit") === "3"),
  "forgets the status at the next page": queries((query) => query.has("cursor") && query.delete("status")),
  "has a link on the last page": answers((seen, request) => {
    const cursor = parameterOf(request, "cursor");
    if (cursor !== "" && !seen.headers.has("link")) seen.headers.set("link", `</v1/pets?cursor=${cursor}>; rel="next"`);
  }, isList),
  ...each(WRONG_QUERIES, queries),
};

/** Answers creates by the key and the text that they send. */
const remembers =
  (answer: (key: string, text: string, next: () => Promise<Response>) => Promise<Response>): Mistake =>
  (next) =>
  async (request) => {
    const key = fieldOf(request, "idempotency-key");
    if (key === "" || !isCreate(request)) return await next(request);
    return await answer(key, await request.clone().text(), () => next(request));
  };

const RETRIES: Mistakes = {
  "cuts Idempotency-Keys at 30": sent("idempotency-key", (key) => /^[\w-]+$/.test(key) ? key.slice(0, 30) : key),
  "reads Idempotency-Keys in small letters": sent("idempotency-key", (key) => key.toLowerCase()),
  "ignores a status that differs at a retry": (next) => {
    const first = new Map<string, Response>();
    return remembers(async (key, text, next) => {
      const known = key + text.replace(/"status":"\w+"/, "");
      if (!first.has(known)) first.set(known, (await next()).clone());
      return first.get(known)!.clone();
    })(next);
  },
  "remembers Idempotency-Keys of requests that failed": (next) => {
    const failed = new Map<string, Response>();
    return remembers(async (key, _, next) => {
      const response = failed.get(key)?.clone() ?? await next();
      if (response.status === 400 && key.length > 30) failed.set(key, response.clone());
      return response;
    })(next);
  },
};

/** The text of a body, and how it is read. */
const TEXTS: Record<string, (text: string) => string> = {
  "takes a name of 256": (text) => text.replace(/"(x{255})x"/, '"$1"'),
  "refuses a name of 255 that is not ASCII": (text) => /"(?:[^ -~]{2}){255}"/.test(text) ? "{}" : text,
  "refuses 7.0": (text) => text.replace(":7.0", ":7.5"),
  "refuses numbers with an exponent": (text) => text.replace(":1e3", ":1.5"),
  "takes 1e-400": (text) => text.replace("1e-400", "0"),
  "has pending as default": (text) =>
    /^{"name":"[^"]*","categoryId":\d+}$/.test(text) ? text.replace("}", ',"status":"pending"}') : text,
};

const OTHERS: Mistakes = {
  ...each(TEXTS, reads),
  "takes text/json": sent("content-type", (type) => type.replace("text/json", "application/json")),
  "refuses a charset": sent("content-type", (type) => type.includes("charset") ? "text/plain" : type),
  "takes a client's id": (next) => async (request) => {
    const id = isCreate(request) ? /"id": *(\d+)/.exec(await request.clone().text().catch(() => ""))?.[1] : undefined;
    const response = await next(request);
    if (id === undefined || response.status !== 201) return response;
    return new Response(asJson({ ...parseExact(await response.text()) as Pet, id: Number(id) }), response);
  },
  "ignores If-None-Match for one pet": sent("if-none-match", () => null, isGet),
  "takes the first of a list of entity tags": sent("if-none-match", (value) => value.split(",")[0]!),
  "lets in HEAD for a pet": letsIn((request) => isHead(request) && isOne(request)),
  "answers 405 without a key": letsIn(({ method }) => method === "DELETE"),
  "answers 304 without a key": (next) => async (request) => {
    const unchanged = request.headers.has("if-none-match") ? await next(withKey(request.clone())) : undefined;
    return unchanged?.status === 304 ? unchanged : await next(request);
  },
  "takes a slash after pets": takes((request) => new Request(request.url.replace(/pets\/$/, "pets"), request)),
};

export const ADDED_MISTAKES: Mistakes = {
  ...Object.fromEntries(
    MISSING.map(([name, where, what]) => [`has no ${name} for ${what}`, field(name, () => null, where)]),
  ),
  ...FIELDS,
  ...ERRORS,
  ...LISTS,
  ...RETRIES,
  ...OTHERS,
};
