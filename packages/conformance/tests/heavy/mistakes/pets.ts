/** Mistakes about pets: what is no NewPet is taken, a member is not as it was sent, a pet is lost, or another is found. */

import { KEY } from "../../../../../tests/support/api.ts";
import {
  answers,
  each,
  everyNth,
  forgets,
  isCreate,
  isGet,
  isList,
  lists,
  type Mistake,
  type Mistakes,
  paths,
  type Pet,
  queries,
  reads,
  shows,
  stores,
} from "./planting.ts";

const VALID = '{"name":"Oddrexofaconformancetest","categoryId":7}';

/** Texts that are no JSON, or no object, and are taken as a pet. */
const TEXTS: Record<string, (text: string) => boolean> = {
  "an empty body": (text) => text === "",
  "a comma at the end": (text) => /,\s*}$/.test(text),
  "a form": (text) => text.startsWith("name="),
  "a pet that is cut before its end": (text) => /^{"name":"[^"]*","categoryId":\d+$/.test(text),
};

/** Pets that are not valid, and are taken. */
const NO_PETS: Record<string, (pet: Pet) => boolean> = {
  "a pet without a name": (pet) => !("name" in pet),
  "a pet without a category": (pet) => !("categoryId" in pet),
  "a category that is a text": ({ categoryId }) => typeof categoryId === "string",
  "a status that begins with a capital": ({ status }) => status === "Sold",
};

function isOdd(text: string, isTaken: (pet: Pet) => boolean): boolean {
  try {
    const pet = JSON.parse(text);
    return typeof pet === "object" && pet !== null && !Array.isArray(pet) && isTaken(pet);
  } catch {
    return false;
  }
}

/** Stores a pet of a request that it refuses with this status. */
const storesRefused = (status: number): Mistake => (next) => async (request) => {
  const text = isCreate(request) ? await request.clone().text().catch(() => "") : "";
  const response = await next(request.clone());
  if (!isCreate(request) || response.status !== status) return response;
  const name = /Oddrexofaconformancetest\w*/.exec(text)?.[0] ?? "Oddrexofaconformancetest";
  const body = JSON.stringify({ name, categoryId: 7 });
  const headers = { "content-type": "application/json", authorization: `Bearer ${KEY}` };
  await next(new Request(request.url, { method: "POST", headers, body }));
  return response;
};

const twice: Mistake = (next) => async (request) => {
  await next(request.clone());
  return await next(request);
};

export const BODY_MISTAKES: Mistakes = {
  ...each(TEXTS, (isTaken) => reads((text) => isTaken(text) ? VALID : text)),
  ...each(NO_PETS, (isTaken) => reads((text) => isOdd(text, isTaken) ? VALID : text)),
  "stores what it refuses with 400": storesRefused(400),
  "stores what it refuses with 401": storesRefused(401),
};

const named = (change: (name: string) => unknown) => (pet: Pet) => ({ ...pet, name: change(String(pet["name"])) });
const category = (change: (id: bigint) => unknown) => (pet: Pet) => {
  const id = pet["categoryId"];
  return { ...pet, categoryId: typeof id === "bigint" ? change(id) : id };
};

/** How a pet is changed, when it is stored, or when a GET or a list shows it, in turn. */
const CHANGES: Record<string, (pet: Pet) => Pet> = {
  "escapes names for HTML": named((name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
  "trims names": named((name) => name.trim() || name),
  "cuts names at 254": named((name) => name.slice(0, 254)),
  "has categories of 53 bits": category((id) => BigInt.asIntN(54, id)),
  "has categories of doubles": category((id) => BigInt.asIntN(64, BigInt(Number(id)))),
  "has ids that are texts": (pet) => ({ ...pet, id: String(pet["id"]) }),
};

const PLANTED = [
  stores,
  (change: (pet: Pet) => Pet) => shows(change, isGet),
  (change: (pet: Pet) => Pet) => shows(change, isList),
];

export const PET_MISTAKES: Mistakes = {
  ...Object.fromEntries(Object.entries(CHANGES).map(([what, change], i) => [what, PLANTED[i % 3]!(change)])),
  "stores one pet of ten twice": everyNth(10, isCreate, twice),
  "keeps each pet but the 25th": forgets((id) => id % 25n === 0n),
  "gives a pet with the same name its first id": (next) => {
    const known = new Map<unknown, Pet>();
    const first = (pet: Pet) => {
      if (!known.has(pet["name"])) known.set(pet["name"], pet);
      return known.get(pet["name"])!;
    };
    return shows(first, isCreate)(next);
  },
};

/** How the id in a path is read. */
const IDS: Record<string, (id: string) => string> = {
  "reads the digits at the beginning": (id) => String(parseInt(id, 10)),
  "reads any notation of a number": (id) => String(Math.trunc(Number(id))),
  "reads an id up to a zero byte": (id) => id.split("%00")[0]!,
};

export const ID_MISTAKES: Mistakes = {
  ...each(IDS, paths),
  "answers each 30th get with the pet before": everyNth(30, isGet, paths((id) => String(Number(id) - 1))),
};

const limit = (change: (limit: number, query: URLSearchParams) => number | undefined): Mistake =>
  queries((query) => {
    const changed = change(Number(query.get("limit")), query);
    if (changed !== undefined) query.set("limit", String(changed));
  });

export const LIST_MISTAKES: Mistakes = {
  "has its first pet twice": lists((pets) => [...pets.slice(0, 1), ...pets.slice(0, -1)]),
  "has a default of 21": limit((limit) => limit || 21),
  "has 100 by default beside a status": limit((limit, query) => query.has("status") && limit === 0 ? 100 : undefined),
  "ignores a status that comes after a limit": queries((query) =>
    /limit=.*status=/.test(`${query}`) && query.delete("status")
  ),
  "is an object": answers((seen) => seen.status === 200 && (seen.text = `{"items":${seen.text}}`), isList),
  "shows the status of the pet before": lists((pets) =>
    pets.map((pet, i) => ({ ...pet, status: pets[Math.max(0, i - 1)]!["status"] }))
  ),
  "limits before it filters": (next) => async (request) => {
    const all = queries((query) => query.delete("status"))(next), { searchParams } = new URL(request.url);
    const status = searchParams.get("status");
    return await lists((pets) => pets.filter((pet) => !status || pet["status"] === status))(all)(request);
  },
};
