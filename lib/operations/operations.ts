/** The three operations on pets: each reads a request, calls the store and makes the response. */

import { JSON_FIELDS, type Reply } from "../http/reply.ts";
import { createTextReader } from "../http/body.ts";
import { representation } from "../http/conditional.ts";
import type { Operation } from "../http/dispatch.ts";
import { Problem } from "../http/problem.ts";
import { digest, readIdempotencyKey, scopedKey } from "./idempotency.ts";
import {
  IDEMPOTENCY_KEY_REUSED,
  IDEMPOTENCY_NOT_SUPPORTED,
  invalidJson,
  invalidParameter,
  invalidPet,
  LIMIT,
  petNotFound,
} from "./errors.ts";
import { queryValue } from "../http/query.ts";
import { excerpt, isDigits, isInt64 } from "../json.ts";
import type { Settings } from "../petstore/options.ts";
import { formatPet, isPetStatus, parseNewPet, parsePetId, type PetStatus } from "../pet.ts";
import { chain } from "../maybe_promise.ts";
import type { PetDraft, PetQuery } from "../stores/store.ts";

/** `GET /pets` */
export function listPets({ store, linkBase }: Settings): Operation {
  return ({ query }) => {
    const petQuery = query === "" ? { after: 0n, limit: LIMIT.default, status: undefined } : readPetQuery(query);
    if (petQuery instanceof Problem) return petQuery.toReply();
    return chain(store.list(petQuery), (page) => {
      const { json } = page;
      const next = hasMember(page, "next") ? page.next : undefined;
      if (next === undefined) return representation(json, "until-addition");
      // Variant 1: a page with a successor needs another tag than the same page as the last one, because Link differs.
      return representation(json, "always", { link: nextLink(linkBase, petQuery, next) }, 1);
    });
  };
}

/** Whether an object or its class has a member. An extended Object.prototype does not count. */
function hasMember(object: object, name: string): boolean {
  for (let holder = object; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    if (Object.hasOwn(holder, name)) return true;
  }
  return false;
}

/** `GET /pets/{petId}` */
export function getPet({ store }: Settings): Operation {
  return ({ parameter }) => {
    const id = parsePetId(parameter);
    return chain(id === undefined ? undefined : store.get(id), (json) => {
      if (json !== undefined) return representation(json, "always");
      return { ...petNotFound(parameter).toReply(), holds: "until-addition" };
    });
  };
}

/** `POST /pets` */
export function createPet(settings: Settings): Operation {
  const { store, defaultStatus, linkBase, maxBodyBytes, bodyTimeoutMs } = settings;
  const readText = createTextReader({ maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs });
  return ({ context }) => {
    const key = readIdempotencyKey(context);
    if (key instanceof Problem) return key.toReply();
    if (key !== undefined && !store.createOnce) return IDEMPOTENCY_NOT_SUPPORTED.toReply();
    return readText(context, (text) => {
      const draft = readDraft(text, defaultStatus);
      if (draft instanceof Problem) return draft.toReply();
      if (key !== undefined) return createOnce(settings, draft, scopedKey(context.caller!, key));
      return chain<bigint, Reply>(store.create(draft), (id) => created(linkBase, id, draft));
    });
  };
}

async function createOnce(
  { store, linkBase, idempotencyRetentionMs }: Settings,
  draft: PetDraft,
  scoped: Promise<string>,
): Promise<Reply> {
  // A fingerprint of the pet, not of the bytes: a retry may format its JSON differently.
  const [key, fingerprint] = await Promise.all([scoped, digest(formatPet({ id: 0n, ...draft }))]);
  const result = await store.createOnce!(draft, { key, fingerprint, retentionMs: idempotencyRetentionMs });
  if (result.outcome === "reused") return IDEMPOTENCY_KEY_REUSED.toReply();
  const reply = created(linkBase, result.id, draft);
  if (result.outcome === "created") return reply;
  return { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } };
}

function created(linkBase: string, id: bigint, draft: PetDraft): Reply {
  return {
    status: 201,
    headers: { ...JSON_FIELDS, location: `${linkBase}/pets/${id}` },
    body: formatPet({ id, name: draft.name, categoryId: draft.categoryId, status: draft.status }),
  };
}

function readDraft(text: string, defaultStatus: PetStatus): PetDraft | Problem {
  let pet;
  try {
    pet = parseNewPet(text, defaultStatus);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return invalidJson(text === "" ? "it is empty" : excerpt(error.message, 120));
  }
  return Array.isArray(pet) ? invalidPet(pet) : pet;
}

function readPetQuery(query: string): PetQuery | Problem {
  const limit = readParameter(query, "limit", parseLimit);
  if (limit instanceof Problem) return limit;
  const status = readParameter(query, "status", (value) => isPetStatus(value) ? value : undefined);
  if (status instanceof Problem) return status;
  const cursor = readParameter(query, "cursor", parseCursor);
  if (cursor instanceof Problem) return cursor;
  return { after: cursor ?? 0n, limit: limit ?? LIMIT.default, status };
}

function readParameter<T>(
  query: string,
  name: "limit" | "status" | "cursor",
  parse: (value: string) => T | undefined,
): T | Problem | undefined {
  const { value, fault } = queryValue(query, name);
  if (value === undefined && fault === undefined) return undefined;
  const parsed = value === undefined ? undefined : parse(value);
  if (parsed !== undefined) return parsed;
  return invalidParameter(name, value, fault);
}

function parseLimit(value: string): number | undefined {
  if (!isDigits(value)) return undefined;
  const limit = +value;
  return limit >= LIMIT.minimum && limit <= LIMIT.maximum ? limit : undefined;
}

/** The link to the next page. It is relative without `publicBaseUrl`, because a proxy may hide the public address. */
function nextLink(linkBase: string, { limit, status }: PetQuery, next: bigint): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  return `<${linkBase}/pets?limit=${limit}${filter}&cursor=${formatCursor(next)}>; rel="next"`;
}

/** Cursors are opaque to clients, so that their content, the last id of the page before, can change. */
const CURSOR = "after:";

/** The cursor of the page after `id`. It is safe in a URL. */
export function formatCursor(id: bigint): string {
  return btoa(CURSOR + id).replaceAll("=", "");
}

/** The id in a cursor; `undefined` unless {@link formatCursor} would produce exactly this text. */
export function parseCursor(cursor: string): bigint | undefined {
  const id = decodeId(cursor);
  return id !== undefined && id > 0n && isInt64(id) && formatCursor(id) === cursor ? id : undefined;
}

function decodeId(cursor: string): bigint | undefined {
  // An id has at most 19 digits. Base64 of this ASCII text never contains '+' or '/'.
  if (cursor.length > 34 || !cursor.startsWith(btoa(CURSOR))) return undefined;
  try {
    return BigInt(atob(cursor).slice(CURSOR.length));
  } catch {
    return undefined;
  }
}
