/** Mistakes in what this project adds to the specification. The specification alone does not forbid them. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import {
  answers,
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
  paths,
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

type Place = (seen: Seen, request: Request) => boolean;
const from = (where: Where): Place => (_, request) => where(request);
const has = (status: number): Place => (seen) => seen.status === status;

/** Which field is missing, and where. */
const MISSING: [name: string, where: Place, what: string][] = [
  ["location", ({ headers }) => headers.has("idempotency-replayed"), "a retry"],
  ["deprecation", has(404), "a 404"],
  ["sunset", from(({ method }) => method === "OPTIONS"), "OPTIONS"],
  ["www-authenticate", from(isCreate), "a create"],
  ["x-content-type-options", ({ status }) => status >= 400, "errors"],
  ["accept-post", () => true, "a 415"],
  ["allow", from(({ method, url }) => method === "PATCH" && /pets\/\d/.test(url)), "PATCH of a pet"],
];

const FIELDS: Mistakes = {
  "has the Location of another pet, each 5th time": everyNth(
    5,
    isCreate,
    field("location", (value) => value.replace(/\d+$/, (id) => String(Number(id) + 1))),
  ),
  "has entity tags from the length of a pet": answers((seen) => {
    if (seen.headers.has("etag")) seen.headers.set("etag", `"${seen.text.length}"`);
  }, isGet),
  "has no error in the challenge for creates": field("www-authenticate", () => "Bearer", from(isCreate)),
  "answers HEAD for one pet with 404": answers((seen, request) => isHead(request) && (seen.status = 404), isOne),
  "deletes pets with 204": answers(
    (seen) => seen.status === 405 && Object.assign(seen, { status: 204, text: "" }),
    ({ method }) => method === "DELETE",
  ),
};

/** The code of an error, and the one in its place. */
const CODES: [code: string, other: string, where?: Where][] = [
  ["invalid_api_key", "missing_api_key", isCreate],
  ["invalid_json", "invalid_pet"],
  ["pet_not_found", "not_found"],
];

const more = (status: number): Mistake =>
  answers((seen) => seen.status === status && (seen.text = seen.text.replace(/}$/, ',"more":1}')));

const ERRORS: Mistakes = {
  ...Object.fromEntries(CODES.map(([code, other, where], i) => [
    `${i}: says ${other} for ${code}`,
    answers((seen) => seen.text = seen.text.replace(`"${code}"`, `"${other}"`), where),
  ])),
  "has a fourth member in a 400": more(400),
  "says one fault of two": answers(
    (seen) => seen.status === 400 && (seen.text = seen.text.replace(/; [^"]*/, "")),
  ),
};

/** Changes a field of requests. */
const sent = (name: string, change: (value: string) => string): Mistake =>
  takes((request) => {
    const headers = new Headers(request.headers);
    headers.set(name, change(fieldOf(request, name)));
    return new Request(request, { headers });
  }, (request) => request.headers.has(name));

/** Leaves out the pet after a cursor, on pages of one. */
const skips = queries((query) => {
  const id = /^after:(\d+)$/.exec(atob(query.get("cursor") ?? ""))?.[1];
  if (id && query.get("limit") === "1") query.set("cursor", btoa(`after:${Number(id) + 1}`).replaceAll("=", ""));
});

const LISTS: Mistakes = {
  "leaves out a pet at each page of one": skips,
  "forgets the status at the next page": queries((query) => query.has("cursor") && query.delete("status")),
  "has a link on the last page": answers((seen, request) => {
    const cursor = parameterOf(request, "cursor");
    if (cursor !== "" && !seen.headers.has("link")) seen.headers.set("link", `</v1/pets?cursor=${cursor}>; rel="next"`);
  }, isList),
  "clamps limits above 100": queries((query) => Number(query.get("limit")) > 100 && query.set("limit", "100")),
  "takes a wrong cursor": queries((query) => query.get("cursor") === "abc" && query.delete("cursor")),
};

const OTHERS: Mistakes = {
  "takes a name of 256": reads((text) => text.replace(/"(x{255})x"/, '"$1"')),
  "has pending as default": reads((text) =>
    text.replace(/^({"name":"[^"]*","categoryId":\d+)}$/, '$1,"status":"pending"}')
  ),
  "reads Idempotency-Keys in small letters": sent("idempotency-key", (key) => key.toLowerCase()),
  "takes text/json": sent("content-type", (type) => type.replace("text/json", "application/json")),
  "takes a client's id": (next) => async (request) => {
    const id = isCreate(request) ? /"id": *(\d+)/.exec(await request.clone().text().catch(() => ""))?.[1] : undefined;
    const response = await next(request);
    if (id === undefined || response.status !== 201) return response;
    return new Response(asJson({ ...parseExact(await response.text()) as Pet, id: Number(id) }), response);
  },
  // The specification's cases allow this, as some frameworks read no more of a segment.
  "reads an id up to a semicolon": paths((id) => id.split(";")[0]!),
  "lets in HEAD for a pet": letsIn((request) => isHead(request) && isOne(request)),
  "answers 304 without a key": (next) => async (request) => {
    const unchanged = request.headers.has("if-none-match") ? await next(withKey(request.clone())) : undefined;
    return unchanged?.status === 304 ? unchanged : await next(request);
  },
};

export const ADDED_MISTAKES: Mistakes = {
  ...Object.fromEntries(
    MISSING.map(([name, where, what]) => [`has no ${name} for ${what}`, field(name, () => null, where)]),
  ),
  ...FIELDS,
  ...ERRORS,
  ...LISTS,
  ...OTHERS,
};
