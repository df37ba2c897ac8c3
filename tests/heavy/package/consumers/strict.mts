// Every name that the package exports, as a strict project uses it. Compiled, not run.
import { createMemoryStore, createPetstore, ERROR_STATUS } from "@petstore/petstore";
import type { ApiKey, ApiKeys, Caller, ClearableStore, CorsOptions, DeprecationOptions } from "@petstore/petstore";
import type { ErrorBody, ErrorCode, ErrorInfo, Handle, KeyVerifier, Pet, PetStatus } from "@petstore/petstore";
import type { Petstore, PetstoreOptions, RequestIds, ResponseInfo } from "@petstore/petstore";
import type { Stability } from "@petstore/petstore";
import { formatPet, formatPets, StoreUnavailableError } from "@petstore/petstore/store";
import type { IdempotentOutcome, IdempotentRequest, KeyedPetStore, MaybePromise } from "@petstore/petstore/store";
import type { KeySnapshot, KeyStore, PetDraft, PetPage, PetQuery } from "@petstore/petstore/store";
import type { PetStore, StoreChanges, StoredKey } from "@petstore/petstore/store";
import { createClient, formatPet as formatRead, formatPets as formatAllRead, PetstoreError } from "@petstore/client";
import type { CallOptions, Client, ClientErrorCode, ClientOptions, CreateOptions } from "@petstore/client";
import type { Deprecation, Fetch, ListOptions, NewPet, PetList, Pets, PetstoreErrorCode } from "@petstore/client";
import type { Pet as ReadPet, PetPage as ReadPage, ResponseFacts } from "@petstore/client";
import { createKeyManager, UnknownKeyError } from "@petstore/petstore/keys";
import type {
  AddedKey,
  KeyInfo,
  KeyManager,
  KeyManagerOptions,
  NewKeyOptions,
  RotateOptions,
} from "@petstore/petstore/keys";
import { createOpenApi } from "@petstore/petstore/openapi";
import type { Json, JsonObject, OpenApiOptions, OpenApiServer } from "@petstore/petstore/openapi";
import { createD1Store, createDurableObjectStore, d1Schema } from "@petstore/edge/d1";
import type { D1Binding, D1Rows, D1Statement, DurableObjectBinding, SqlRows, SqlStorage } from "@petstore/edge/d1";
import { type FaultOptions, withFaults } from "@petstore/petstore/faults";
import { createNodeListener } from "@petstore/petstore/node";
import type { NodeListener, NodeRequest, NodeResponse } from "@petstore/petstore/node";
import { createPostgresStore, postgresGrants, postgresSchema } from "@petstore/postgres";
import type { PostgresPool, PostgresStoreOptions } from "@petstore/postgres";
import { createSqliteStore } from "@petstore/petstore/sqlite";
import { conformanceCases, ContractError, storeCases } from "@petstore/conformance";
import type {
  ConformanceCase,
  ConformanceTarget,
  Handle as ContractHandle,
  Sharing,
  StoreContractCase,
} from "@petstore/conformance";
import type { StoreFixture, StoreGuarantee } from "@petstore/conformance";

class ArrayStore implements PetStore {
  readonly #pets: Pet[] = [];

  create(pet: PetDraft): MaybePromise<bigint> {
    const id = BigInt(this.#pets.length + 1);
    this.#pets.push({ id, ...pet });
    return Promise.resolve(id);
  }

  get(id: bigint): string | undefined {
    const pet = this.#pets.find((pet) => pet.id === id);
    return pet && formatPet(pet);
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const found = this.#pets.filter((pet) => pet.id > after && (status === undefined || pet.status === status));
    const page = found.slice(0, limit);
    const last = page[page.length - 1];
    return last && found.length > limit ? { json: formatPets(page), next: last.id } : { json: formatPets(page) };
  }

  check(): void {
    if (this.#pets.length > 1000) {
      throw new StoreUnavailableError("Too many pets", { cause: this.#pets.length });
    }
  }

  close(): void {}
}

const session: Caller = { id: "ann" };
const verifier: KeyVerifier = (key: string | undefined, request: Request) => {
  return request.headers.has("cookie") ? session : Promise.resolve(key === "pk_example");
};
const keys: ApiKeys = verifier;
const key: ApiKey = { key: "pk_example", caller: "ann", expires: new Date(0) };
const cors: CorsOptions = { origins: ["https://app.example"] };
const stores: PetStore[] = [new ArrayStore(), createMemoryStore(), createSqliteStore(":memory:")];
const requestIds: RequestIds = "failures";
const deprecation: DeprecationOptions = { since: new Date(0), sunset: new Date(1), successor: "/pets", gone: true };
const stability: Record<string, Stability> = { listPets: "beta" };
const options: PetstoreOptions = {
  keys,
  cors,
  requestIds,
  deprecation,
  stability,
  onError: ({ error, request, requestId }: ErrorInfo) => console.error(request.url, requestId, error),
  onResponse: ({ route = "none", status, durationMs }: ResponseInfo) => console.log(route, status, durationMs),
};
export const apps: Petstore[] = stores.map((store) => createPetstore({ ...options, store }));
const { handle, fetch: sameHandle }: Petstore = createPetstore({ keys: new Set(["pk_example", key]) });
export default { fetch: sameHandle };
export const response: Promise<Response> = handle(new Request("http://localhost/v1/pets"));
export const wrapped: Handle = (request: Request) => handle(request);
export const answered: Promise<Response> = wrapped(new Request("http://localhost/v1/pets"));

export const listeners: NodeListener[] = [
  ...apps.map((app) => createNodeListener(app)),
  createNodeListener((request) => new Response(request.url)),
  createNodeListener(wrapped),
];
export function answerNode(request: NodeRequest, response: NodeResponse): void {
  for (const listener of listeners) listener(request, response);
}

const ofSchema: PostgresStoreOptions = { schema: "pets", timeoutMs: 1000 };
export function openPostgres(pool: PostgresPool): Promise<PetStore> {
  return createPostgresStore(pool, ofSchema);
}
export const forTheAdministrator: string = postgresSchema("pets") + postgresGrants("app", "pets");

export function openOnCloudflare(db: D1Binding, storage: DurableObjectBinding): PetStore[] {
  const statement: D1Statement = db.prepare(d1Schema());
  const made: Promise<D1Rows[]> = db.batch([statement.bind(1)]);
  const sql: SqlStorage = storage.sql;
  const rows: SqlRows = sql.exec("SELECT 1");
  void made.then((results) => console.log(results.length, rows.toArray()));
  return [createD1Store(db), createDurableObjectStore(storage)];
}

const servers: OpenApiServer[] = [{ url: "https://pets.example/v1" }];
const described: OpenApiOptions = { servers };
const description: JsonObject = createOpenApi(createPetstore({ keys }), described);
export const version: Json | undefined = description["openapi"];

export const draft: NewPet = { name: "Luna", categoryId: 9007199254740993n };
export const request: IdempotentRequest = { key: "", fingerprint: "", retentionMs: 0 };
export const outcome: IdempotentOutcome = { outcome: "created", id: 1n };
export const notFound: 404 = ERROR_STATUS.pet_not_found;
export const changes: StoreChanges = { additions: 0, alterations: 0 };

export function explain({ code, status }: ErrorBody): PetStatus | ErrorCode | number {
  // A switch over the codes narrows them.
  return code === "pet_not_found" ? "sold" : code === "invalid_pet" ? code : status;
}

/** A later release may add members, and these lines still compile. */
export const later: [ErrorCode, PetstoreErrorCode, StoreGuarantee] = ["new", "new", "new"];
/** An editor still offers those of this release. */
type Offered<Name> = Name extends unknown ? string extends Name ? never : Name : never;
export const offered: [Offered<ErrorCode>, Offered<StoreGuarantee>] = ["overloaded", "keys"];
// @ts-expect-error No release has it.
export const unknown: Offered<ErrorCode> = "new";
export function isTooMany(code: ErrorCode): boolean {
  switch (code) {
    case "overloaded":
      return true;
    default:
      return code.startsWith("too_many");
  }
}

// @ts-expect-error A petstore needs keys.
createPetstore({});
// @ts-expect-error There is no such option.
createPetstore({ keys, colour: "red" });
// @ts-expect-error An int64 is a bigint: a number would have been rounded.
formatPet({ id: 1, name: "Luna", categoryId: 7n, status: "sold" });
// @ts-expect-error There is no such status.
export const wrong: PetStatus = "lost";
// @ts-expect-error With exactOptionalPropertyTypes, to leave out and to set undefined are not the same.
export const unset: PetstoreOptions = { keys, cors: undefined };

const send: Fetch = fetch;
const told = (deprecation: Deprecation) => console.warn(deprecation.operation, deprecation.sunset?.toISOString());
const inProcess: ClientOptions = {
  baseUrl: "http://localhost/v1",
  key: "pk_example",
  fetch: handle,
  onDeprecation: told,
};
export const clients: Client[] = [createClient(inProcess), createClient({ ...inProcess, fetch: send })];
export async function useClient({ pets }: { pets: Pets }, signal: AbortSignal): Promise<bigint> {
  const call: CallOptions = { signal };
  const once: CreateOptions = { ...call, idempotencyKey: "4711" };
  const which: ListOptions = { ...call, status: "sold", limit: 100 };
  const list: PetList = pets.list(which);
  for await (const page of list.pages()) console.log(page.length);
  for await (const { categoryId } of list) if (categoryId > 2n ** 53n) return categoryId;
  const { pets: first, nextCursor }: ReadPage = await pets.page({
    ...which,
    cursor: new URLSearchParams().get("cursor"),
  });
  const all: ReadPet[] = await pets.list({ ...which, cursor: nextCursor }).toArray();
  console.log(formatAllRead(all), first.map(({ status = "available" }): PetStatus => status));
  const { id }: ReadPet = await pets.create(draft, once);
  return (await pets.get(id)).id;
}
export function explainError(error: unknown): PetstoreErrorCode | undefined {
  const own: ClientErrorCode = "deadline_exceeded";
  const facts: ResponseFacts = { status: 503 };
  if (!(error instanceof PetstoreError)) return new PetstoreError(own, "Too late", facts).code;
  return error.code === "overloaded" && error.retryAfterMs !== undefined ? error.requestId : error.code;
}
// @ts-expect-error A client needs a key.
createClient({ baseUrl: "http://localhost/v1" });
// @ts-expect-error An int64 is a bigint.
void clients[0]?.pets.get(1);
export function statusOf(pet: ReadPet): PetStatus {
  console.log(formatRead(pet));
  // @ts-expect-error A server may leave it out.
  return pet.status;
}

class ArrayKeys implements KeyStore {
  readonly #keys: StoredKey[] = [];

  list(): readonly StoredKey[] {
    return this.#keys;
  }

  add(key: StoredKey, replaced?: { id: string; expires: Date }): boolean {
    this.#keys.push(key);
    return replaced === undefined;
  }

  revoke(id: string, at: Date): boolean {
    return this.#keys.some((key) => key.id === id && (key.revoked ??= at));
  }

  listSince(version: string): KeySnapshot {
    return { version, keys: this.#keys };
  }
}

const memory: ClearableStore = createMemoryStore();
memory.clear();
const keyed: KeyedPetStore = memory;
export async function useOnce(): Promise<void> {
  await using store = createSqliteStore(":memory:");
  await store.check();
}
const managing: KeyManagerOptions = {
  keys: ["pk_example"],
  onOutage: (error: unknown) => console.error(error),
  onRecovery: () => console.log("The keys can be read again"),
};
export const managers: KeyManager[] = [new ArrayKeys(), keyed.keys].map((kept) => createKeyManager(kept, managing));
export async function rotate(manager: KeyManager): Promise<KeyInfo[]> {
  const wanted: NewKeyOptions = { label: "ci", readOnly: true };
  const how: RotateOptions = { overlapMs: 1000 };
  const added: AddedKey = await manager.add(wanted);
  try {
    console.log((await manager.rotate(added.id, how)).key);
  } catch (error) {
    if (error instanceof UnknownKeyError) console.error(error.id);
  }
  return await manager.list();
}
const faults: FaultOptions = { lose: 0.1, operations: ["createPet"] };
export const managed: Petstore[] = managers.map((keys) => withFaults(createPetstore({ keys }), faults));

const sharing: Sharing = "restarts";
const fixture: StoreFixture = {
  open: () => new ArrayStore(),
  remove: (namespace) => console.log(namespace),
  sharing,
};
const answer: ContractHandle = async (request) => await createPetstore({ keys: ["pk_example"] }).handle(request);
export const target: ConformanceTarget = { baseUrl: "http://localhost/v1", key: "pk_example", fetch: answer };
export const storeContract: StoreContractCase[] = await storeCases(fixture);
export const httpContract: ConformanceCase[] = conformanceCases(target);
export function brokenGuarantee(error: unknown): StoreGuarantee | undefined {
  return error instanceof ContractError ? error.guarantee : undefined;
}
