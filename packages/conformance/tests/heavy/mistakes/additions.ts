/** Mistakes in what this project adds to the specification, most of them in few requests. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import {
  answers,
  each,
  isCreate,
  isGet,
  isList,
  type Mistake,
  only,
  type Pet,
  queries,
  reads,
  type Seen,
  withKey,
} from "./planting.ts";

const isOne = ({ url }: Request) => /\/pets\/\d/.test(url);
const isHead = ({ method }: Request) => method === "HEAD";
const has = (name: string) => ({ headers }: Request) => headers.has(name);
const query = ({ url }: Request) => new URL(url).searchParams;
const isRetry = has("idempotency-key");

/** Changes a header field of some responses; null removes it. */
function field(
  name: string,
  change: (value: string, request: Request) => string | null,
  where: (seen: Seen, request: Request) => boolean = () => true,
): Mistake {
  return answers((seen, request) => {
    const value = seen.headers.get(name);
    if (value === null || !where(seen, request)) return;
    const changed = change(value, request);
    if (changed === null) seen.headers.delete(name);
    else seen.headers.set(name, changed);
  });
}
const without = (name: string, where: (seen: Seen, request: Request) => boolean) => field(name, () => null, where);

/** Changes requests. */
function edits(name: string, change: (value: string) => string | null, where = (_: Request) => true): Mistake {
  return (next) => (request) => {
    const value = request.headers.get(name);
    if (value === null || !where(request)) return next(request);
    const headers = new Headers(request.headers);
    const changed = change(value);
    if (changed === null) headers.delete(name);
    else headers.set(name, changed);
    return next(new Request(request, { headers }));
  };
}

const code = (from: string, to: string, where: (request: Request) => boolean = () => true) =>
  answers((seen) => void (seen.text = seen.text.replace(`"code":"${from}"`, `"code":"${to}"`)), where);
const other = (id: string) => String(Number(id) + 1);

const after = (text: string) => /cursor=([\w-]+)/.exec(text)?.[1] ?? "";
const shift = (cursor: string, by: number) => {
  const id = Number(/^after:(\d+)$/.exec(atob(cursor))?.[1]) + by;
  return btoa(`after:${Math.max(1, id)}`).replaceAll("=", "");
};
/** Continues a list at another place. */
const continues = (by: number, where: (request: Request) => boolean = () => true): Mistake =>
  only(where, queries((query) => query.has("cursor") && query.set("cursor", shift(query.get("cursor")!, by))));

const ANSWERS: Record<string, Mistake> = {
  "has the Location of another pet, each 5th time": each(
    5,
    isCreate,
    field("location", (value) => value.replace(/\d+$/, other)),
  ),
  "has a Location without a base path": field("location", (value) => value.replace("/v1", "")),
  "has no Location for a pet that is sold": without("location", ({ text }) => text.includes('"sold"')),
  "has a Location with a slash at its end": field("location", (value) => `${value}/`),
  "has no entity tag for one pet": without("etag", (_, request) => isOne(request)),
  "has no entity tag for lists with a status": without("etag", (_, request) => query(request).has("status")),
  "has another entity tag each time": (next) => {
    let count = 0;
    return field("etag", (value) => value.replace(/"$/, `${count++}"`))(next);
  },
  "has one entity tag for all pets": field("etag", () => '"pet"', (_, request) => isGet(request)),
  "has entity tags from the first 20 bytes": field(
    "etag",
    (value, { url }) => `"${/[^?]*/.exec(url)![0].length}-${value.slice(1, 4)}"`,
    (_, request) => isGet(request),
  ),
  "has no entity tag in a 304": without("etag", ({ status }) => status === 304),
  "ignores If-None-Match for one pet": edits("if-none-match", () => null, isGet),
  "ignores If-None-Match for HEAD": edits("if-none-match", () => null, isHead),
  "takes the first of a list of entity tags": edits("if-none-match", (value) => value.split(",")[0]!),
  "answers 304 without a key": (next) => async (request) => {
    const tag = request.headers.get("if-none-match");
    if (!tag || request.headers.has("authorization")) return await next(request);
    const response = await next(withKey(request));
    return response.status === 304 && tag !== "*" ? response : await next(request);
  },
  "answers HEAD for one pet with 404": answers(
    (seen) => void (seen.status === 200 && (seen.status = 404)),
    (request) => isHead(request) && isOne(request),
  ),
  "answers HEAD for a list with a status with 400": answers(
    (seen) => void (seen.status === 200 && (seen.status = 400)),
    (request) => isHead(request) && query(request).has("status"),
  ),
  "has no entity tag for HEAD": without("etag", (_, request) => isHead(request)),
  "has no Link for HEAD": without("link", (_, request) => isHead(request)),
  "has no type for HEAD": without("content-type", (_, request) => isHead(request)),
  "has no Deprecation in a 304": without("deprecation", ({ status }) => status === 304),
  "has no Deprecation in a 404": without("deprecation", ({ status }) => status === 404),
  "has no Deprecation for HEAD": without("deprecation", (_, request) => isHead(request)),
  "has no Sunset for OPTIONS": without("sunset", (_, { method }) => method === "OPTIONS"),
  "has another Sunset in a 404": field("sunset", () => "Fri, 06 Dec 2030 00:00:00 GMT", ({ status }) => status === 404),
  "has a Deprecation of milliseconds": field("deprecation", (value) => `${value}000`),
  "has Deprecation for lists": answers((seen) => seen.headers.set("deprecation", "@1795132800"), isList),
  "has no successor in a 405": without("link", ({ status }) => status === 405),
  "has no challenge for creates": without("www-authenticate", (_, request) => isCreate(request)),
  "has no challenge for one pet": without("www-authenticate", (_, request) => isGet(request)),
  "has no challenge for lists with a status": without("www-authenticate", (_, request) => query(request).has("status")),
  "has no error in the challenge for creates": field(
    "www-authenticate",
    (value) => value.split(",")[0]!,
    (_, request) => isCreate(request),
  ),
  "has the challenge Basic": field("www-authenticate", (value) => value.replace("Bearer", "Basic")),
  "says missing_api_key for a wrong key of a create": code("invalid_api_key", "missing_api_key", isCreate),
  "says missing_api_key for another scheme": code(
    "invalid_api_key",
    "missing_api_key",
    ({ headers }) => !headers.get("authorization")?.startsWith("Bearer"),
  ),
  "says invalid_pet for what is no JSON": code("invalid_json", "invalid_pet"),
  "says not_found for a pet": code("pet_not_found", "not_found"),
  "says pet_not_found for other paths": code("route_not_found", "pet_not_found"),
  "has a stack in a 400": answers((seen) =>
    void (seen.status === 400 && (seen.text = seen.text.replace(/}$/, ',"stack":"at handle"}')))
  ),
  "has a time in a 404": answers((seen) =>
    void (seen.status === 404 && (seen.text = seen.text.replace(/}$/, ',"timestamp":1}')))
  ),
  "has details in the 401 for a wrong key": answers((seen) =>
    void (seen.text = seen.text.replace('{"code":"invalid_api_key"', '{"details":[],"code":"invalid_api_key"'))
  ),
  "has no nosniff in errors": without("x-content-type-options", ({ status }) => status >= 400),
  "has no nosniff for creates": without("x-content-type-options", (_, request) => isCreate(request)),
};

const LISTS: Record<string, Mistake> = {
  "leaves out a pet at each page": continues(1),
  "leaves out a pet at each page of one": continues(1, (request) => query(request).get("limit") === "1"),
  "leaves out a pet at each page of 100": continues(1, (request) => query(request).get("limit") === "100"),
  "leaves out a pet at each page of those sold": continues(1, (request) => query(request).get("status") === "sold"),
  "shows a pet twice, at each page of three": continues(-1, (request) => query(request).get("limit") === "3"),
  "shows a pet twice, at each page beside a status": continues(-1, (request) => query(request).has("status")),
  "forgets the status at the next page": queries((query) => query.has("cursor") && query.delete("status")),
  "forgets the status at the next page of one": only(
    (request) => query(request).get("limit") === "1",
    queries((query) => query.has("cursor") && query.delete("status")),
  ),
  "forgets the limit at the next page": queries((query) => query.has("cursor") && query.delete("limit")),
  "has no link to the next page beside the status pending": without(
    "link",
    (_, request) => query(request).get("status") === "pending",
  ),
  "has no link to the next page of one": without(
    "link",
    (_, request) => isList(request) && query(request).get("limit") === "1",
  ),
  "has no link to the third page": without("link", (_, request) => isList(request) && query(request).has("cursor")),
  "has no link without a limit": without("link", (_, request) => isList(request) && !query(request).has("limit")),
  "has a link on the last page": answers((seen, { url }) => {
    if (seen.status !== 200 || seen.headers.has("link") || after(url) === "") return;
    const last = (parseExact(seen.text) as Pet[]).at(-1);
    if (last) {
      seen.headers.set("link", `</v1/pets?cursor=${btoa(`after:${last["id"]}`).replaceAll("=", "")}>; rel="next"`);
    }
  }, isList),
  "has no link if one pet follows": (next) => async (request) => {
    const response = await next(request);
    const link = response.headers.get("link") ?? "";
    if (!isList(request) || !link.includes("next")) return response;
    const following = await next(new Request(new URL(/<(.*?)>/.exec(link)![1]!, request.url), request));
    if ((parseExact(await following.text()) as Pet[]).length !== 1) return response;
    const headers = new Headers(response.headers);
    headers.delete("link");
    return new Response(await response.text(), { headers });
  },
  "lists pages backwards": answers((seen, { url }) => {
    if (seen.status === 200 && after(url) !== "") seen.text = asJson((parseExact(seen.text) as Pet[]).toReversed());
  }, isList),
  "clamps limits above 100": queries((query) => Number(query.get("limit")) > 100 && query.set("limit", "100")),
  "takes limit=0 beside a status": queries((query) =>
    query.get("limit") === "0" && query.has("status") && query.set("limit", "1")
  ),
  "takes a limit with spaces": queries((query) => query.has("limit") && query.set("limit", query.get("limit")!.trim())),
  "takes limit=1_0": queries((query) => query.has("limit") && query.set("limit", query.get("limit")!.replace("_", ""))),
  "takes limit=10abc": queries((query) => /^\d+[a-z]+$/.test(query.get("limit") ?? "") && query.set("limit", "10")),
  "takes limit=5.5": queries((query) => /^\d+\.\d*$/.test(query.get("limit") ?? "") && query.set("limit", "5")),
  "takes a status with a capital": queries((query) => query.get("status") === "Sold" && query.set("status", "sold")),
  "takes the status all": queries((query) => query.get("status") === "all" && query.delete("status")),
  "takes any status beside limit=1": queries((query) => query.get("limit") === "1" && query.delete("status")),
  "takes a wrong cursor beside a status": queries((query) =>
    query.has("status") && after(`cursor=${query.get("cursor")}`) !== "" &&
    !atob(query.get("cursor")!.slice(0, 4)).startsWith("aft") && query.delete("cursor")
  ),
};

const CREATES: Record<string, Mistake> = {
  "makes a second pet at the third retry": (next) => {
    const sent = new Map<string, number>();
    return (request) => {
      const key = request.headers.get("idempotency-key") ?? "";
      const count = (sent.get(key) ?? 0) + 1;
      sent.set(key, count);
      return key !== "" && count === 4 ? edits("idempotency-key", () => null)(next)(request) : next(request);
    };
  },
  "answers a retry with 200": answers((seen) => void (seen.headers.has("idempotency-replayed") && (seen.status = 200))),
  "has no Location at a retry": without("location", ({ headers }) => headers.has("idempotency-replayed")),
  "cuts Idempotency-Keys at 36": edits("idempotency-key", (key) => /^[\w-]+$/.test(key) ? key.slice(0, 30) : key),
  "reads Idempotency-Keys in small letters": edits("idempotency-key", (key) => key.toLowerCase()),
  "ignores a status that differs at a retry": (next) => {
    const sent = new Map<string, string>();
    return async (request) => {
      if (!isRetry(request) || !isCreate(request)) return await next(request);
      const key = request.headers.get("idempotency-key")!, text = await request.clone().text();
      const first = sent.get(key);
      if (first === undefined) sent.set(key, text);
      const isSame = first?.replace(/"status":"\w+"/, "") === text.replace(/"status":"\w+"/, "");
      return isSame ? await reads(() => first!)(next)(request) : await next(request);
    };
  },
  "forgets Idempotency-Keys after 10 creates": (next) => {
    const made = new Map<string, number>();
    let count = 0;
    return (request) => {
      const key = request.headers.get("idempotency-key") ?? "";
      if (isCreate(request)) count++;
      if (!made.has(key)) made.set(key, count);
      return key !== "" && count - made.get(key)! > 10
        ? edits("idempotency-key", (key) => `${key}x`)(next)(request)
        : next(request);
    };
  },
  "remembers Idempotency-Keys of requests that failed": (next) => {
    const failed = new Map<string, Response>();
    return async (request) => {
      const key = request.headers.get("idempotency-key") ?? "";
      const before = failed.get(key);
      if (before) return before.clone();
      const response = await next(request);
      if (response.status === 400 && /^[\w"-]{30,}$/.test(key)) failed.set(key, response.clone());
      return response;
    };
  },
  "takes text/json": edits("content-type", (type) => type.replace("text/json", "application/json"), isCreate),
  "takes application/problem+json": edits("content-type", (type) => type.replace("problem+json", "json"), isCreate),
  "takes text/plain": edits(
    "content-type",
    (type) => type.startsWith("text/plain") ? "application/json" : type,
    isCreate,
  ),
  "refuses a charset": edits("content-type", (type) => type.includes("charset") ? "text/plain" : type, isCreate),
  "has no Accept-Post": without("accept-post", () => true),
  "takes a name of 256": reads((text) => text.replace(/"(x{255})x"/, '"$1"')),
  "refuses a name of 255 that is not ASCII": reads((text) => /"(?:[^ -~]{2}){255}"/.test(text) ? "{}" : text),
  "takes a name with a next line": reads((text) => text.replaceAll(/\\u0085|\u0085/g, "")),
  "takes a name with a delete character": reads((text) => text.replaceAll(/\\u007f|\u007f/g, "x")),
  "takes a name of ideographic spaces": reads((text) => text.replace(/"(\u3000|\\u3000)+"/, '"x"')),
  "refuses 7.0": reads((text) => text.replace(/:(-?\d+)\.0([,}])/, ":$1.5$2")),
  "refuses numbers with an exponent": reads((text) => text.replace(/:(\d+)e(\d)/i, ":$1.5e-$2")),
  "takes 1e-400": reads((text) => text.replace("1e-400", "0")),
  "has pending as default": reads((text) =>
    text.startsWith("{") && text.endsWith("}") && !text.includes("status") && text.length > 20 &&
      text.includes("categoryId") && text.includes("name")
      ? text.replace(/}$/, ',"status":"pending"}')
      : text
  ),
  "says one fault of two": answers((seen) => {
    if (!seen.text.includes('"invalid_pet"')) return;
    const error = JSON.parse(seen.text);
    seen.text = JSON.stringify({ ...error, message: error.message.split("; ")[0] });
  }),
  "takes a client's id": (next) => async (request) => {
    const id = isCreate(request) ? /"id": *(\d+)/.exec(await request.clone().text().catch(() => ""))?.[1] : undefined;
    const response = await next(request);
    if (id === undefined || response.status !== 201) return response;
    return new Response(asJson({ ...parseExact(await response.text()) as Pet, id: Number(id) }), response);
  },
};

const ROUTES: Record<string, Mistake> = {
  "lets in HEAD for a pet": only(
    (request) => isHead(request) && isOne(request),
    (next) => (request) => next(withKey(request)),
  ),
  "has no Allow for PATCH of a pet": without(
    "allow",
    (_, { method, url }) => method === "PATCH" && /pets\/\d/.test(url),
  ),
  "has no HEAD in Allow for a pet": field(
    "allow",
    (value) => value.replace(/HEAD, ?|, ?HEAD/, ""),
    (_, request) => isOne(request),
  ),
  "answers 405 without a key": (next) => async (request) => {
    if (request.headers.has("authorization") || request.method !== "DELETE") return await next(request);
    return await next(withKey(request));
  },
  "answers OPTIONS without a key": only(
    ({ method, url }) => method === "OPTIONS" && url.endsWith("/pets"),
    (next) => (request) => next(withKey(request)),
  ),
  "answers OPTIONS with 200": answers((seen) => void (seen.status === 204 && (seen.status = 200))),
  "takes a slash after pets": (next) => (request) =>
    next(/pets\/$/.test(request.url) ? new Request(request.url.slice(0, -1), request) : request),
  "takes paths in any case": (next) => (request) =>
    next(new Request(request.url.replace(/\/v1\/[a-z]+/i, (path) => path.toLowerCase()), request)),
  "answers 404 to store orders": answers((seen) =>
    void (seen.status === 501 &&
      Object.assign(seen, { status: 404, text: '{"code":"route_not_found","message":"","status":404}' }))
  ),
  "deletes pets with 204": answers(
    (seen) => void (Object.assign(seen, { status: 204, text: "" })),
    ({ method, headers, url }) => method === "DELETE" && headers.has("authorization") && /pets\/\d/.test(url),
  ),
};

/** Mistakes that the specification alone does not forbid. */
export const ADDED_MISTAKES: Readonly<Record<string, Mistake>> = { ...ANSWERS, ...LISTS, ...CREATES, ...ROUTES };
