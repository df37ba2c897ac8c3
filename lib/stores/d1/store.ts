import { chain, type MaybePromise } from "../../maybe_promise.ts";
import type { KeyStore } from "../key_store.ts";
import { requireValid, statusCode } from "../status_code.ts";
import { recall } from "../write.ts";
import type { IdempotentOutcome, IdempotentRequest, KeyedPetStore, PetDraft, PetPage, PetQuery } from "../store.ts";
import { type Rows, SqlKeys, type Value } from "../sql_keys.ts";
import { type RunStatements, Tables } from "./schema.ts";
import {
  ALL_PETS,
  DELETE_REQUESTS,
  INSERT_PET,
  INSERT_PET_ONCE,
  INSERT_REQUEST,
  PETS_OF_STATUS,
  SELECT_ONE,
  SELECT_PET,
  SELECT_REQUEST,
  WRITE_NOTHING,
} from "./statements.ts";

type PetRow = { id: string; json: string };

export class D1Store implements KeyedPetStore {
  readonly keys: KeyStore;
  readonly #tables: Tables;

  constructor(name: string, run: RunStatements) {
    this.#tables = new Tables(name, run);
    this.keys = new SqlKeys("petstore_keys", (_kind, ...statements) => this.#tables.run(...statements));
  }

  create(pet: PetDraft): MaybePromise<bigint> {
    return chain(
      this.#tables.run([INSERT_PET, ...valuesOf(pet)]),
      ([created]) => idOf(created) ?? this.#tables.rejectWrite(),
    );
  }

  createOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest): MaybePromise<IdempotentOutcome> {
    const done = this.#tables.run(
      [DELETE_REQUESTS, key],
      [INSERT_PET_ONCE, ...valuesOf(pet), key],
      [INSERT_REQUEST, key, fingerprint, retentionMs],
      [SELECT_REQUEST, key],
    );
    return chain(done, ([_deleted, created, _inserted, remembered]): MaybePromise<IdempotentOutcome> => {
      const id = idOf(created), row = remembered?.[0];
      if (id !== undefined) return { outcome: "created", id };
      return recall(row && { fingerprint: row["fingerprint"], id: row["id"] }, fingerprint) ??
        this.#tables.rejectWrite();
    });
  }

  get(id: bigint): MaybePromise<string | undefined> {
    return chain(this.#tables.run([SELECT_PET, String(id)]), ([rows]) => rows?.[0]?.["json"] as string | undefined);
  }

  list({ after, limit, status }: PetQuery): MaybePromise<PetPage> {
    // One row more than the page shows whether there is a next page.
    const bounds = [String(after), limit + 1];
    const read = status === undefined
      ? this.#tables.run([ALL_PETS, ...bounds])
      : this.#tables.run([PETS_OF_STATUS, statusCode(status), ...bounds]);
    return chain(read, ([rows]) => pageOf(rows as PetRow[], limit));
  }

  check(): MaybePromise<void> {
    return chain(this.#tables.run([SELECT_ONE]), () => {});
  }

  checkWrites(): MaybePromise<void> {
    const [insert, remove] = WRITE_NOTHING;
    return chain(
      this.#tables.run([insert], [remove]),
      ([written]) => written?.[0] ? undefined : this.#tables.rejectWrite(),
    );
  }

  /** A request of a Worker must not wait for the creates of others. */
  close(): void {
    this.#tables.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function valuesOf(pet: PetDraft): Value[] {
  const status = requireValid(pet);
  return [pet.name, String(pet.categoryId), status];
}

function idOf(rows: Rows | undefined): bigint | undefined {
  const id = rows?.[0]?.["id"];
  return id === undefined ? undefined : BigInt(id as string);
}

function pageOf(rows: readonly PetRow[], limit: number): PetPage {
  const shown = rows.length > limit ? rows.slice(0, limit) : rows;
  const json = `[${shown.map(({ json }) => json).join(",")}]`;
  return shown === rows ? { json } : { json, next: BigInt(shown[limit - 1]!.id) };
}
