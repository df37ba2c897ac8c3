/** Mistakes about lists: their pets, their length, and the parameters of their query. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import { answers, isList, lists, type Mistake, only, type Pet, queries } from "./planting.ts";

/** Mistakes about lists. */
export const LIST_MISTAKES: Readonly<Record<string, Mistake>> = {
  "list: has its first pet twice": lists((pets) => pets.length > 1 ? [pets[0]!, ...pets.slice(0, -1)] : pets),
  "list: leaves the last pet out": lists((pets) => pets.slice(0, -1)),
  "list: has a null in it": lists((pets) => pets.length > 1 ? [...pets.slice(0, -1), null as unknown as Pet] : pets),
  "list: has a default of 21": queries((query) => query.has("limit") || query.set("limit", "21")),
  "list: takes sold for pending": queries((query) => query.get("status") === "sold" && query.set("status", "pending")),
  "list: has no sold pets": answers(
    (seen, { url }) => void (url.includes("status=sold") && (seen.text = "[]")),
    isList,
  ),
  "list: is an object": answers((seen) => void (seen.status === 200 && (seen.text = `{"items":${seen.text}}`)), isList),
  "answers each 15th list from before": (next) => {
    let count = 0, kept = "[]";
    return async (request) => {
      const response = await next(request);
      if (!isList(request) || response.status !== 200) return response;
      const text = await response.text();
      const shown = ++count % 15 === 0 ? kept : text;
      kept = text;
      return new Response(shown, response);
    };
  },
  "list: limits before it filters": (next) => async (request) => {
    const url = new URL(request.url), status = url.searchParams.get("status");
    if (!isList(request) || status === null) return await next(request);
    url.searchParams.delete("status");
    const response = await next(new Request(url, request));
    if (response.status !== 200) return response;
    const pets = (parseExact(await response.text()) as Pet[]).filter((pet) => pet["status"] === status);
    return new Response(asJson(pets), { headers: { "content-type": "application/json" } });
  },
  "list: has one pet too many with limit=50": queries((query) =>
    query.get("limit") === "50" && query.set("limit", "51")
  ),
  "list: has one pet too few with each odd limit": queries((query) => {
    const limit = Number(query.get("limit"));
    if (limit % 2 === 1 && limit > 2) query.set("limit", String(limit - 1));
  }),
  "list: has 100 by default beside a status": queries((query) =>
    query.has("status") && !query.has("limit") && query.set("limit", "100")
  ),
  "list: has half as many as the limit, from 60": queries((query) => {
    const limit = Number(query.get("limit"));
    if (limit >= 60) query.set("limit", String(limit >> 1));
  }),
  "list: ignores a status that comes after a limit": only(
    ({ url }) => /limit=.*status=/.test(url),
    queries((query) => query.delete("status")),
  ),
  "list: ignores a status of a list of 10": queries((query) => query.get("limit") === "10" && query.delete("status")),
  "list: has no pet with a negative category": lists((pets) =>
    pets.filter(({ categoryId }) => (categoryId as bigint) >= 0n)
  ),
  "list: has no pet whose name is not ASCII": lists((pets) =>
    pets.filter(({ name }) => /^[\x20-\x7e]*$/.test(String(name)))
  ),
  "list: has no pet of a tenth id": lists((pets) => pets.filter(({ id }) => (id as bigint) % 10n !== 0n)),
  "list: has one pet of each category": lists((
    pets,
  ) => [...new Map(pets.map((pet) => [pet["categoryId"], pet])).values()]),
  "list: shows the status of the pet before": lists((pets) =>
    pets.map((pet, i) => ({ ...pet, status: pets[Math.max(0, i - 1)]!["status"] }))
  ),
  "list: exchanges the names of two pets": lists((pets) =>
    pets.length < 4
      ? pets
      : [{ ...pets[0], name: pets[1]!["name"] }, { ...pets[1], name: pets[0]!["name"] }, ...pets.slice(2)]
  ),
  "list: has a pet that is pending among those sold, from 5": (next) => async (request) => {
    const response = await next(request);
    if (!isList(request) || response.status !== 200 || !request.url.includes("status=sold")) return response;
    const pets = parseExact(await response.text()) as Pet[];
    if (pets.length > 5) pets[5] = { ...pets[5], status: "pending" };
    return new Response(asJson(pets), response);
  },
};
