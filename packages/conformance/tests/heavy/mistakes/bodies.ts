/** Mistakes about the bodies of creates: what is no NewPet is taken, or stored though it was refused. */

import { parseExact } from "../../../lib/http/exact.ts";
import { asJson } from "../../../lib/http/assert.ts";
import { isCreate, isJson, type Mistake, type Pet, reads, storesRefused } from "./planting.ts";

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

const faults: Record<string, Mistake> = {
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

/** A server that takes a body which is no NewPet. */
const takes = (isTaken: (text: string) => boolean): Mistake =>
  reads((text) => isTaken(text) ? '{"name":"Oddrexofaconformancetest","categoryId":7}' : text);
const taken = (isTaken: (pet: Pet) => boolean): Mistake =>
  takes((text) => {
    try {
      const pet = JSON.parse(text);
      return typeof pet === "object" && pet !== null && !Array.isArray(pet) && isTaken(pet);
    } catch {
      return false;
    }
  });

const taking: Record<string, Mistake> = {
  "a comma at the end": takes((text) => /,\s*}$/.test(text)),
  "comments": takes((text) => text.includes("/*") || text.includes("//")),
  "single quotes": takes((text) => /^{'/.test(text)),
  "more after the pet": takes((text) => /}\s*[^\s}\]]/.test(text) && text.startsWith("{") && !/}.*"/.test(text)),
  "two pets": takes((text) => /}\s*{/.test(text)),
  "a form": takes((text) => /^name=/.test(text)),
  "XML": takes((text) => /^</.test(text)),
  "YAML": takes((text) => /^name: /.test(text)),
  "a pet that is cut before its end": takes((text) => /^{"name":"[^"]*","categoryId":\d+$/.test(text)),
  "members without quotes": takes((text) => /^{ *name/.test(text)),
  "a pet within a pet": taken((pet) => "pet" in pet),
  "JSON in a text": takes((text) => text.startsWith('"{')),
  "names of members in capitals": taken((pet) => "Name" in pet || "NAME" in pet),
  "category_id": taken((pet) => "category_id" in pet && !("categoryId" in pet)),
  "large fractions": taken(({ categoryId: id }) => typeof id === "number" && id > 1000 && id % 1 !== 0),
  "small fractions": taken(({ categoryId: id }) => typeof id === "number" && Math.abs(id) < 1 && id !== 0),
  "a category of 1e30": taken(({ categoryId: id }) => typeof id === "number" && Math.abs(id) >= 1e25),
  "a category that is true": taken(({ categoryId: id }) => id === true),
  "a category that is an empty text": taken(({ categoryId: id }) => id === ""),
  "a category in an array": taken(({ categoryId: id }) => Array.isArray(id)),
  "a status with a space": taken(({ status }) =>
    typeof status === "string" && /^(sold|available|pending)\s$/.test(status)
  ),
  "a status that begins with a capital": taken(({ status }) => status === "Sold" || status === "Available"),
  "an empty status": taken(({ status }) => status === ""),
  "a status in an array": taken(({ status }) => Array.isArray(status)),
  "a part of a status": taken(({ status }) => status === "avail" || status === "sol" || status === "pend"),
  "a name that is an object": taken(({ name }) => typeof name === "object" && name !== null && !Array.isArray(name)),
  "a name that is false": taken(({ name }) => name === false),
};

const named = (before: string, mistakes: Record<string, Mistake>) =>
  Object.entries(mistakes).map(([what, mistake]) => [before + what, mistake]);

/** Mistakes about the bodies of creates: those that are no NewPet are taken or stored. */
export const BODY_MISTAKES: Readonly<Record<string, Mistake>> = Object.fromEntries([
  ...named("create: ", faults),
  ...named("create: takes ", taking),
]);
