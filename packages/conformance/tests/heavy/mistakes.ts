/** Mistakes that are planted in a petstore, one at a time. */

import { parseExact } from "../../lib/http/exact.ts";
import { asJson } from "../../lib/http/assert.ts";
import { KEY } from "../../../../tests/support/api.ts";
import {
  admits,
  answers,
  ENDPOINTS,
  errors,
  isCreate,
  isGet,
  isList,
  lists,
  type Mistake,
  paths,
  type Pet,
  queries,
  reads,
  remembers,
  shows,
  status,
  storesRefused,
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

const escapeHtml = (text: unknown) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const NAME_CHANGES: Record<string, (name: unknown) => unknown> = {
  "escapes names for HTML": escapeHtml,
  "normalizes names": (name) => String(name).normalize("NFC"),
  "decomposes names": (name) => String(name).normalize("NFD"),
  "writes names in small letters": (name) => String(name).toLowerCase(),
  "cuts names at 50": (name) => String(name).slice(0, 50),
  "cuts names at 100": (name) => String(name).slice(0, 100),
  "drops what is not ASCII": (name) => String(name).replaceAll(/[^\x20-\x7e]/g, ""),
  "decodes names": (name) =>
    decodeURIComponent(String(name).replaceAll("%", (sign) => /%41/.test(String(name)) ? sign : "%25")),
};

const round = (value: unknown) => typeof value === "bigint" ? Number(value) : value;
const names = Object.fromEntries(
  Object.entries(NAME_CHANGES).flatMap(([what, change]) => [
    [`list: ${what}`, shows((pet) => ({ ...pet, name: change(pet["name"]) }), isList)],
    [`get: ${what}`, shows((pet) => ({ ...pet, name: change(pet["name"]) }), isGet)],
    [`create: ${what}`, shows((pet) => ({ ...pet, name: change(pet["name"]) }), isCreate)],
  ]),
);

/** A body that lacks something gets it, so that the petstore takes it. */
const completed = (defaults: Pet, where: (pet: Pet) => boolean) =>
  reads((text) => {
    try {
      const pet = parseExact(text) as Pet;
      return typeof pet === "object" && pet !== null && !Array.isArray(pet) && where(pet)
        ? asJson({ ...pet, ...defaults })
        : text;
    } catch {
      return text;
    }
  });
const VALID = { name: "Oddrexofaconformancetest", categoryId: 7 };

const bodies: Record<string, Mistake> = {
  "takes a body that is no JSON": reads((text) => isJson(text) ? text : JSON.stringify(VALID)),
  "takes an empty body": reads((text) => text === "" ? JSON.stringify(VALID) : text),
  "takes an array": reads((text) => text.startsWith("[") ? JSON.stringify(VALID) : text),
  "takes null": reads((text) => text === "null" ? JSON.stringify(VALID) : text),
  "takes a pet without a name": completed({ name: VALID.name }, (pet) => !("name" in pet)),
  "takes a pet without a category": completed({ categoryId: 7 }, (pet) => !("categoryId" in pet)),
  "takes a name that is a number": completed({ name: VALID.name }, ({ name }) => typeof name === "number"),
  "takes a name that is null": completed({ name: VALID.name }, ({ name }) => name === null),
  "takes a category that is a text": completed({ categoryId: 7 }, ({ categoryId }) => typeof categoryId === "string"),
  "takes a category that is a fraction": completed({ categoryId: 7 }, ({ categoryId }) => categoryId === 7.5),
  "takes a category that is null": completed({ categoryId: 7 }, ({ categoryId }) => categoryId === null),
  "takes a category beyond int64": completed(
    { categoryId: 7 },
    ({ categoryId }) => typeof categoryId === "number" && Math.abs(categoryId) > 2 ** 60,
  ),
  "takes a status that is null": completed({ status: "sold" }, ({ status }) => status === null),
  "takes an unknown status": completed({ status: "sold" }, ({ status }) => status === "lost"),
  "takes a status in capitals": completed({ status: "sold" }, ({ status }) => status === "SOLD"),
  "takes a status that is a number": completed({ status: "sold" }, ({ status }) => status === 1),
  "ignores the status": completed({ status: "available" }, () => true),
  "rounds categories": completed({}, () => true),
  "stores what it refuses with 400": storesRefused(400),
  "stores what it refuses with 401": storesRefused(401),
  "stores each pet twice": (next) => async (request) => {
    if (isCreate(request)) await next(request.clone());
    return await next(request);
  },
  "stores one pet of ten twice": (next) => {
    let count = 0;
    return async (request) => {
      if (isCreate(request) && ++count % 10 === 0) await next(request.clone());
      return await next(request);
    };
  },
};
bodies["rounds categories"] = reads((text) => isJson(text) ? JSON.stringify(JSON.parse(text)) : text);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const rest: Record<string, Mistake> = {
  "create: answers 200": status(201, 200),
  "create: answers 202": status(201, 202),
  "create: answers 422 to a pet that is not valid": status(400, 422, isCreate),
  "create: answers 500 to a pet that is not valid": status(400, 500, isCreate),
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
  "get: answers 200 with null": answers(
    (seen) => void (seen.status === 404 && Object.assign(seen, { status: 200, text: "null" })),
    isGet,
  ),
  "get: answers 400 to an id that no pet has": status(404, 400, isGet),
  "get: reads the digits at the beginning": paths((id) => String(parseInt(id, 10))),
  "get: reads ids modulo 2^64": paths((id) => /^\d+$/.test(id) ? String(BigInt.asUintN(64, BigInt(id))) : id),
  "get: reads ids modulo 2^32": paths((id) => /^\d+$/.test(id) ? String(BigInt.asUintN(32, BigInt(id))) : id),
  "get: ignores the sign": paths((id) => id.replace("-", "")),
  "get: reads any notation of a number": paths((id) => String(Math.trunc(Number(id)))),
  "get: finds digits anywhere": paths((id) => /\d+/.exec(id)?.[0] ?? id),
  "get: answers the last pet": remembers((pets) => pets.at(-1)),
  "get: answers the first pet": remembers((pets) => pets[0]),
  "get: has no category": shows(({ categoryId: _, ...pet }) => pet, isGet),
  "get: has no name": shows(({ name: _, ...pet }) => pet, isGet),
  "get: says always available": shows((pet) => ({ ...pet, status: "available" }), isGet),
  "get: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isGet),
  "list: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isList),
  "create: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isCreate),
  "any: has ids that are texts": shows((pet) => ({ ...pet, id: String(pet["id"]) })),
  "list: has ids that are texts": shows((pet) => ({ ...pet, id: String(pet["id"]) }), isList),
  "any: has categories that are texts": shows((pet) => ({ ...pet, categoryId: String(pet["categoryId"]) })),
  "list: says always sold": shows((pet) => ({ ...pet, status: "sold" }), isList),
  "list: has a status in capitals": shows((pet) => ({ ...pet, status: String(pet["status"]).toUpperCase() }), isList),
  "list: has other ids": shows((pet) => ({ ...pet, id: (pet["id"] as bigint) + 1n }), isList),
  "list: has no names": shows(({ name: _, ...pet }) => pet, isList),
  "list: has pets twice": lists((pets) => [...pets, ...pets].slice(0, Math.max(pets.length, 2))),
  "list: has its first pet twice": lists((pets) => pets.length > 1 ? [pets[0]!, ...pets.slice(0, -1)] : pets),
  "list: leaves the last pet out": lists((pets) => pets.slice(0, -1)),
  "list: leaves the first pet out": lists((pets) => pets.slice(1)),
  "list: is always empty": lists(() => []),
  "list: has a null in it": lists((pets) => pets.length > 1 ? [...pets.slice(0, -1), null as unknown as Pet] : pets),
  "list: ignores the limit": queries((query) => query.delete("limit")),
  "list: has one pet more than the limit": queries((query) =>
    query.has("limit") && query.set("limit", String(Math.min(100, Number(query.get("limit")) + 1)))
  ),
  "list: has a default of 21": queries((query) => query.has("limit") || query.set("limit", "21")),
  "list: has a default of 100": queries((query) => query.has("limit") || query.set("limit", "100")),
  "list: ignores the limit beside a status": queries((query) => query.has("status") && query.set("limit", "100")),
  "list: ignores the status": queries((query) => query.delete("status")),
  "list: ignores the status pending": queries((query) => query.get("status") === "pending" && query.delete("status")),
  "list: takes sold for pending": queries((query) => query.get("status") === "sold" && query.set("status", "pending")),
  "list: has no sold pets": answers(
    (seen, { url }) => void (url.includes("status=sold") && (seen.text = "[]")),
    isList,
  ),
  "list: ignores the status beside a limit": queries((query) => query.has("limit") && query.delete("status")),
  "list: is an object": answers((seen) => void (seen.status === 200 && (seen.text = `{"items":${seen.text}}`)), isList),
  "list: answers 206": status(200, 206, isList),
  "list: answers 204 to an empty list": answers(
    (seen) => void (seen.text === "[]" && Object.assign(seen, { status: 204, text: "" })),
    isList,
  ),
  "any: sends HTML errors": answers(({ status, headers }) => status >= 400 && headers.set("content-type", "text/html")),
  "any: sends problem+json": answers(({ status, headers }) =>
    status >= 400 && headers.set("content-type", "application/problem+json")
  ),
  "any: sends text": answers(({ headers }) => headers.set("content-type", "text/plain")),
  "list: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isList),
  "create: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isCreate),
  "get: sends text": answers(({ headers }) => headers.set("content-type", "text/plain"), isGet),
  ...Object.fromEntries([400, 401, 404].flatMap((from): [string, Mistake][] => [
    [`any: has no code in a ${from}`, errors(from, ({ code: _, ...error }) => error)],
    [`any: has no message in a ${from}`, errors(from, ({ message: _, ...error }) => error)],
    [`any: has no status in a ${from}`, errors(from, ({ status: _, ...error }) => error)],
    [`any: has another status in a ${from}`, errors(from, (error) => ({ ...error, status: 500 }))],
    [`any: has the status as text in a ${from}`, errors(from, (error) => ({ ...error, status: String(from) }))],
    [`any: has a number as code in a ${from}`, errors(from, (error) => ({ ...error, code: from }))],
    [`any: has an error in an error for ${from}`, errors(from, (error) => ({ error }))],
    [`any: has an empty body with a ${from}`, answers((seen) => void (seen.status === from && (seen.text = "")))],
  ])),
};

export const MISTAKES: Readonly<Record<string, Mistake>> = {
  ...everywhere(tokens),
  ...everywhere(places),
  ...everywhere(circumstances),
  ...names,
  ...Object.fromEntries(Object.entries(bodies).map(([what, mistake]) => [`create: ${what}`, mistake])),
  ...rest,
};
