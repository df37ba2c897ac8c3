import { chain, type MaybePromise } from "../../maybe_promise.ts";
import { pageOf } from "../page.ts";
import { requireValid, statusCode } from "../status_code.ts";
import { recall } from "../write.ts";
import type { IdempotentOutcome, KeyedPetStore, PetDraft } from "../store.ts";
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

export function createStore(name: string, run: RunStatements): KeyedPetStore {
  const tables = new Tables(name, run);
  return {
    keys: new SqlKeys("petstore_keys", (_kind, ...statements) => tables.run(...statements)),
    create: (pet) =>
      chain(tables.run([INSERT_PET, ...valuesOf(pet)]), ([created]) => idOf(created) ?? tables.rejectWrite()),
    createOnce(pet, { key, fingerprint, retentionMs }) {
      const done = tables.run(
        [DELETE_REQUESTS, key],
        [INSERT_PET_ONCE, ...valuesOf(pet), key],
        [INSERT_REQUEST, key, fingerprint, retentionMs],
        [SELECT_REQUEST, key],
      );
      return chain(done, ([_deleted, created, _inserted, remembered]): MaybePromise<IdempotentOutcome> => {
        const id = idOf(created);
        if (id !== undefined) return { outcome: "created", id };
        return recall(remembered?.[0], fingerprint) ?? tables.rejectWrite();
      });
    },
    get: (id) => chain(tables.run([SELECT_PET, String(id)]), ([rows]) => rows?.[0]?.["json"] as string | undefined),
    list({ after, limit, status }) {
      const bounds = [String(after), limit + 1];
      const statement = status === undefined ? ALL_PETS : PETS_OF_STATUS;
      const read = tables.run([statement, ...(status === undefined ? [] : [statusCode(status)]), ...bounds]);
      return chain(read, ([rows]) => pageOf(rows as { id: string; json: string }[], limit));
    },
    check: () => chain(tables.run([SELECT_ONE]), () => {}),
    checkWrites() {
      const [insert, remove] = WRITE_NOTHING;
      return chain(tables.run([insert], [remove]), ([written]) => written?.[0] ? undefined : tables.rejectWrite());
    },
    /** A request of a Worker must not wait for the creates of others. */
    close: () => tables.close(),
    [Symbol.asyncDispose]: () => Promise.resolve(tables.close()),
  };
}

function valuesOf(pet: PetDraft): Value[] {
  const status = requireValid(pet);
  return [pet.name, String(pet.categoryId), status];
}

function idOf(rows: Rows | undefined): bigint | undefined {
  const id = rows?.[0]?.["id"];
  return id === undefined ? undefined : BigInt(id as string);
}
