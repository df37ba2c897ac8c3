/** Mistakes about pets: a name, a category or a status is not as it was sent, or a pet is lost. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import { answers, forgets, isCreate, isGet, isJson, isList, type Mistake, type Pet, reads, shows } from "./planting.ts";

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

const named = (change: (name: string) => unknown) => (pet: Pet) => ({ ...pet, name: change(String(pet["name"])) });
const category = (change: (categoryId: bigint) => unknown) => (pet: Pet) => ({
  ...pet,
  categoryId: typeof pet["categoryId"] === "bigint" ? change(pet["categoryId"]) : pet["categoryId"],
});
/** Changes what is stored. */
const stores = (change: (pet: Pet) => Pet): Mistake =>
  reads((text) => {
    try {
      const pet = parseExact(text);
      const isPet = typeof pet === "object" && pet !== null && "name" in pet && typeof pet.name === "string";
      return isPet ? asJson(change(pet as Pet)) : text;
    } catch {
      return text;
    }
  });

const narrow: Record<string, Mistake> = {
  "create: trims names": stores(named((name) => name.trim() || name)),
  "create: writes one space for two": stores(named((name) => name.replaceAll(/ {2,}/g, " "))),
  "list: reads plus as a space": shows(named((name) => name.replaceAll("+", " ")), isList),
  "get: normalizes names by compatibility": shows(named((name) => name.normalize("NFKC")), isGet),
  "create: drops what is invisible": stores(named((name) => name.replaceAll(/[\u200b-\u200f]/g, ""))),
  "create: cuts names at 64": stores(named((name) => name.slice(0, 64))),
  "create: cuts names at 200": stores(named((name) => name.slice(0, 200))),
  "list: cuts names at 254": shows(named((name) => name.slice(0, 254)), isList),
  "list: cuts names within a character": shows(named((name) => name.slice(0, 127)), isList),
  "list: writes names of digits as numbers": shows(named((name) => /^\d+$/.test(name) ? Number(name) : name), isList),
  "get: writes the name null as null": shows(named((name) => name === "null" ? null : name), isGet),
  "create: escapes names that are formulas": stores(named((name) => name.replace(/^[=@]/, "'$&"))),
  "create: resolves names that are templates": stores(named((name) => name.replaceAll("{{7*7}}", "49"))),
  "create: reads names as HTML": stores(named((name) => name.replaceAll("&amp;", "&"))),
  "get: removes tags from names": shows(named((name) => name.replaceAll(/<[^>]*>/g, "")), isGet),
  "create: doubles quotes": stores(named((name) => name.replaceAll("'", "''"))),
  "list: drops backslashes": shows(named((name) => name.replaceAll("\\", "")), isList),
  "create: has a category without its sign": stores(category((id) => id < 0n ? -id % 2n ** 63n : id)),
  "list: has null for category 0": shows(category((id) => id === 0n ? null : id), isList),
  "list: has categories of 32 bits": shows(category((id) => BigInt.asIntN(32, id)), isList),
  "create: has categories of 32 unsigned bits": stores(category((id) => BigInt.asUintN(32, id))),
  "get: has categories of 53 bits": shows(category((id) => BigInt.asIntN(54, id)), isGet),
  "create: has 1 for category 0": stores(category((id) => id || 1n)),
  "create: has no category above 2^62": stores(category((id) => id > 2n ** 62n ? 2n ** 62n : id)),
  "create: shows the status that was sent, and stores available": (next) => async (request) => {
    const sent = isCreate(request) ? /"status": *"(\w+)"/.exec(await request.clone().text())?.[1] : undefined;
    const response = await stores((pet) => ({ ...pet, status: "available" }))(next)(request);
    if (sent === undefined || response.status !== 201) return response;
    return new Response(asJson({ ...parseExact(await response.text()) as Pet, status: sent }), response);
  },
  "create: stores pets of large categories as available": stores((pet) =>
    Number(pet["categoryId"]) > 2 ** 53 && "status" in pet ? { ...pet, status: "available" } : pet
  ),
  "create: shows a status that is null": answers((seen) => {
    if (seen.status === 201) seen.text = seen.text.replace('"status":"available"', '"status":null');
  }, isCreate),
  "list: is Latin-1": (next) => async (request) => {
    const response = await next(request);
    if (!isList(request) || response.status !== 200) return response;
    const text = await response.text();
    return new Response(Uint8Array.from(text, (unit) => unit.charCodeAt(0) & 255), response);
  },
  "get: begins with a byte-order mark": answers((seen) => void (seen.text = `\ufeff\ufeff${seen.text}`), isGet),
  "list: begins with a byte-order mark": answers((seen) => void (seen.text = `\ufeff${seen.text}`), isList),
  "get: has two names": answers((seen) => {
    if (seen.status === 200) seen.text = seen.text.replace("{", '{"name":"Rex",');
  }, isGet),
};

const rest: Record<string, Mistake> = {
  "get: has no category": shows(({ categoryId: _, ...pet }) => pet, isGet),
  "get: says always available": shows((pet) => ({ ...pet, status: "available" }), isGet),
  "get: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isGet),
  "list: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isList),
  "create: rounds int64": shows((pet) => ({ ...pet, categoryId: round(pet["categoryId"]) }), isCreate),
  "any: has ids that are texts": shows((pet) => ({ ...pet, id: String(pet["id"]) })),
  "any: has categories that are texts": shows((pet) => ({ ...pet, categoryId: String(pet["categoryId"]) })),
  "list: has a status in capitals": shows((pet) => ({ ...pet, status: String(pet["status"]).toUpperCase() }), isList),
  "says sold from the second time on": (next) => {
    const seen = new Set<string>();
    return async (request) => {
      const response = await next(request);
      if (!isGet(request) || response.status !== 200) return response;
      if (!seen.has(request.url)) return seen.add(request.url), response;
      return new Response(asJson({ ...parseExact(await response.text()) as Pet, status: "sold" }), response);
    };
  },
  "keeps the last 30 pets": forgets((id, newest) => id <= newest - 30n),
  "keeps each pet but the 25th": forgets((id) => id % 25n === 0n),
  "stores no pet of each 20th create": (next) => {
    let count = 0;
    return async (request) => {
      const response = await next(request);
      if (!isCreate(request) || response.status !== 201 || ++count % 20 !== 0) return response;
      const pet = parseExact(await response.text()) as Pet;
      return new Response(asJson({ ...pet, id: 1_000_000n + (pet["id"] as bigint) }), response);
    };
  },
  "gives a pet with the same name its first id": (next) => {
    const known = new Map<unknown, Pet>();
    return async (request) => {
      const response = await next(request);
      if (!isCreate(request) || response.status !== 201) return response;
      const pet = parseExact(await response.text()) as Pet;
      const first = known.get(pet["name"]) ?? pet;
      known.set(pet["name"], first);
      return new Response(asJson(first), response);
    };
  },
  "create: rounds categories": reads((text) => isJson(text) ? JSON.stringify(JSON.parse(text)) : text),
};

/** Mistakes in the members of pets, and in which pets there are. */
export const PET_MISTAKES: Readonly<Record<string, Mistake>> = { ...names, ...narrow, ...rest };
