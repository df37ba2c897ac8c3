/** The three operations of the specification: what each reads from a request, asks of the store and answers. */

import { type Answer, type Header, JSON_TYPE } from "./http/answer.ts";
import type { BodyReader } from "./http/body.ts";
import { noneMatchFails, strongETag } from "./http/conditional.ts";
import { formatCursor, parseCursor } from "./http/cursor.ts";
import { type ErrorCode, HttpError } from "./http/errors.ts";
import { queryValue } from "./http/query.ts";
import { excerpt, isDigits } from "./json.ts";
import type { Settings } from "./options.ts";
import { formatPet, isPetStatus, parseNewPet, parsePetId, PET_STATUSES, type PetStatus } from "./pet.ts";
import { chain, type Pending } from "./pending.ts";
import type { PetPage, PetQuery } from "./stores/store.ts";

/** What an operation gets of a request. */
export interface Call {
  request: Request;
  /** The query component, without its question mark. */
  query: string;
  /** The path's parameter, still percent-encoded where it cannot be decoded. */
  parameter: string;
}

/** Pets on a page: at least, at most, and where the client does not say. */
export const LIMIT = { minimum: 1, maximum: 100, default: 20 };

/** `GET /pets` */
export function listPets({ store, basePath }: Settings, { request, query }: Call): Pending<Answer> {
  const petQuery = query === "" ? { after: 0n, limit: LIMIT.default } : readPetQuery(query);
  return chain(store.list(petQuery), (page) => {
    const next = page.next;
    // A full last page and the same page with more behind it differ in their Link alone, and that counts as content.
    const etag = strongETag(page.json, next === undefined ? 0 : 1);
    const headers: Header[] = [JSON_TYPE, ["etag", etag]];
    if (next !== undefined) headers.push(["link", nextLink(basePath, petQuery, next)]);
    return conditional(request, page.json, etag, headers);
  });
}

/** `GET /pets/{petId}` */
export function getPet({ store }: Settings, { request, parameter }: Call): Pending<Answer> {
  const id = parsePetId(parameter);
  return chain(id === undefined ? undefined : store.get(id), (json) => {
    if (json === undefined) throw new HttpError(404, "pet_not_found", `There is no pet ${quote(parameter)}`);
    const etag = strongETag(json);
    return conditional(request, json, etag, [JSON_TYPE, ["etag", etag]]);
  });
}

/** `POST /pets` */
export async function createPet(settings: Settings, readBody: BodyReader, { request }: Call): Promise<Answer> {
  const pet = readNewPet(await readBody(request));
  const draft = { name: pet.name, categoryId: pet.categoryId, status: pet.status ?? settings.defaultStatus };
  const id = await settings.store.create(draft);
  return {
    status: 201,
    headers: [JSON_TYPE, ["location", `${settings.basePath}/pets/${id}`]],
    body: formatPet({ id, ...draft }),
  };
}

function conditional(request: Request, json: string, etag: string, headers: Header[]): Answer {
  return noneMatchFails(request.headers.get("if-none-match"), etag)
    // A 304 has the headers of the 200 that bear on the stored response (RFC 9110 §15.4.5), and Link may be new.
    ? { status: 304, headers: headers.slice(1), body: null }
    : { status: 200, headers, body: json };
}

function readNewPet(text: string): Exclude<ReturnType<typeof parseNewPet>, string[]> {
  let pet;
  try {
    pet = parseNewPet(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const cause = text === "" ? "it is empty" : excerpt(error.message, 120);
    throw new HttpError(400, "invalid_json", `The request body is not valid JSON: ${cause}`);
  }
  if (Array.isArray(pet)) throw new HttpError(400, "invalid_pet", `The pet is not valid: ${pet.join("; ")}`);
  return pet;
}

function readPetQuery(query: string): PetQuery {
  const limit = readParameter(query, "limit", parseLimit, "a whole number from 1 to 100");
  const status = readParameter(query, "status", parseStatus, `one of ${PET_STATUSES.join(", ")}`);
  const cursor = readParameter(query, "cursor", parseCursor, "taken from the Link header of a list");
  const petQuery = { after: cursor ?? 0n, limit: limit ?? LIMIT.default };
  return status === undefined ? petQuery : { ...petQuery, status };
}

function readParameter<T>(
  query: string,
  name: "limit" | "status" | "cursor",
  parse: (value: string) => T | undefined,
  wanted: string,
): T | undefined {
  const { value, fault } = queryValue(query, name);
  if (value === undefined && fault === undefined) return undefined;
  const parsed = value === undefined ? undefined : parse(value);
  if (parsed !== undefined) return parsed;
  const given = value === undefined ? fault : `not ${quote(value)}`;
  throw new HttpError(
    400,
    `invalid_${name}` satisfies ErrorCode,
    `The query parameter ${name} must be ${wanted}, ${given}`,
  );
}

function parseLimit(value: string): number | undefined {
  if (value.length > 3 || !isDigits(value)) return undefined;
  const limit = +value;
  return limit >= LIMIT.minimum && limit <= LIMIT.maximum ? limit : undefined;
}

function parseStatus(value: string): PetStatus | undefined {
  return isPetStatus(value) ? value : undefined;
}

/** The link to the next page, relative to wherever the API is reached: behind a proxy, its own address says nothing. */
function nextLink(basePath: string, { limit, status }: PetQuery, next: NonNullable<PetPage["next"]>): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  return `<${basePath}/pets?limit=${limit}${filter}&cursor=${formatCursor(next)}>; rel="next"`;
}

function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}
