/** Adds pets in one transaction, many in one statement if possible. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { knownOutcome, type MigratedRequest } from "../earlier_requests.ts";
import type { IdempotentOutcome } from "../store.ts";
import { asUnavailable } from "./errors.ts";
import type { FileWatch } from "./schema.ts";
import { DELETE_REQUESTS, INSERT_REQUEST, insertPets, SELECT_REQUEST, WRITE_NOTHING } from "./statements.ts";
import { begin, commit, prepareExact } from "./transaction.ts";

/** How many rows one statement inserts. More rows are hardly faster. */
const ROWS = 16;

/** A pet to be added, and the request that it belongs to. */
export interface NewRow {
  /** Undefined for a probe: a commit that adds no pet, and shows whether a create would succeed. */
  row: [name: string, categoryId: bigint, status: bigint] | undefined;
  request: MigratedRequest | undefined;
}

/** The id of a new pet, or another outcome. */
export type Inserted = bigint | IdempotentOutcome;

export class Transactions {
  readonly #db: DatabaseSync;
  readonly #watch: FileWatch;
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  readonly #findRequest: StatementSync;
  readonly #insertRequest: StatementSync;
  readonly #deleteExpired: StatementSync;
  readonly #writeNothing: StatementSync[];

  constructor(db: DatabaseSync, watch: FileWatch) {
    this.#db = db;
    this.#watch = watch;
    const prepare = (sql: string) => prepareExact(db, sql);
    this.#insertOne = prepare(insertPets(1));
    this.#insertMany = prepare(insertPets(ROWS));
    this.#findRequest = prepare(SELECT_REQUEST);
    this.#insertRequest = prepare(INSERT_REQUEST);
    this.#deleteExpired = prepare(DELETE_REQUESTS);
    this.#writeNothing = WRITE_NOTHING.map(prepare);
  }

  /**
   * Commits rows in one transaction, in order.
   *
   * @param patience As in {@link begin}.
   * @returns The outcome of each. If this throws, nothing has been written.
   */
  commit(rows: readonly NewRow[], patience: number): Inserted[] {
    try {
      begin(this.#db, patience);
      return commit(this.#db, () => {
        this.#watch.requireWritable();
        return this.#insert(rows);
      });
    } catch (error) {
      throw asUnavailable(error, this.#watch.path);
    }
  }

  #insert(rows: readonly NewRow[]): Inserted[] {
    const now = BigInt(Date.now());
    const outcomes: Inserted[] = [];
    for (let i = 0; i < rows.length;) {
      const next = rows.slice(i, i + ROWS);
      if (next.length === ROWS && next.every(({ row, request }) => row && !request)) {
        const last = BigInt(this.#insertMany.run(...next.flatMap(({ row }) => row!)).lastInsertRowid);
        i += ROWS;
        for (let before = ROWS; before-- > 0;) outcomes.push(last - BigInt(before));
      } else outcomes.push(this.#insertAlone(rows[i++]!, now));
    }
    const requests = rows.filter(({ request }) => request).length;
    // Deleting twice as many as were added shrinks the backlog, and no single commit has many to delete.
    if (requests > 0) this.#deleteExpired.run(now, BigInt(2 * requests));
    return outcomes;
  }

  #insertAlone({ row, request }: NewRow, now: bigint): Inserted {
    if (!row) {
      for (const statement of this.#writeNothing) statement.run();
      return { outcome: "reused" };
    }
    if (!request) return BigInt(this.#insertOne.run(...row).lastInsertRowid);
    const { key, earlierKey, fingerprint, retentionMs } = request;
    // An earlier server looks up its own key only.
    const keys = earlierKey === undefined ? [key] : [key, earlierKey];
    for (const each of keys) {
      const known = this.#findRequest.get(each, now);
      if (known) return knownOutcome({ fingerprint: known["fingerprint"], id: known["pet_id"] }, fingerprint);
    }
    const id = BigInt(this.#insertOne.run(...row).lastInsertRowid);
    for (const each of keys) this.#insertRequest.run(each, fingerprint, id, now + BigInt(retentionMs));
    return id;
  }
}
