/**
 * What stores share, for authors of a store on another database: writes that commit together,
 * pages, the columns of the tables, API keys, and checks of options. The stores in
 * `@petstore/postgres` and `@petstore/edge` are made with it. A simple store needs none of it: see
 * `@petstore/petstore/store`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { outcomeOfRepeated, pageOf } from "@petstore/petstore/store/toolkit";
 *
 * // A query for one row more than the page may have shows whether there is a next page.
 * const rows = [{ id: 1, json: '{"id":1}' }, { id: 2, json: '{"id":2}' }];
 * assert.deepEqual(pageOf(rows, 1), { json: '[{"id":1}]', next: 1n });
 *
 * // A remembered request tells the outcome of a create with the same key.
 * assert.deepEqual(outcomeOfRepeated({ fingerprint: "f", id: 7n }, "f"), { outcome: "replayed", id: 7n });
 * ```
 *
 * @module
 */

export { type Check, checkAll, type Checks, oneOf, wholeNumber } from "../option_checks.ts";
export { attempt, chain, type MaybePromise, resolvesWithin, untilAborted } from "../promises.ts";
export { PET_STATUSES, type PetDraft, type PetStatus } from "../pet.ts";
export { Batch, type BatchOptions, type CommittingStore, FULL_BATCH, type ObservedBatch } from "./database/batch.ts";
export { type Rows, type RunStatements, SqlKeys, type Statement, type Value } from "./database/sql_keys.ts";
export {
  KEY_COLUMNS,
  keyOfRow,
  pageOf,
  PET_COLUMNS,
  PET_JSON,
  type PetSink,
  REQUEST_COLUMNS,
} from "./database/sql_tables.ts";
export {
  type Outcome,
  type Outcomes,
  type PendingWrite,
  storeClosed,
  uncertainOutcomeError,
  type Write,
  WritingStore,
} from "./database/writing_store.ts";
export type { KeyInfo, KeySnapshot, KeyStore, StoredKey } from "./key_store.ts";
export { outcomeOfRepeated, type RememberedRequest } from "./remembered_request.ts";
export { requireValid, statusCode } from "./status_code.ts";
export {
  type IdempotentOutcome,
  type IdempotentRequest,
  type PetPage,
  type StoreChanges,
  StoreUnavailableError,
} from "./store.ts";
