/** Inserts the rows of a transaction, many in one statement if possible. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IdempotentOutcome, IdempotentRequest } from "../store.ts";
import { isOutage } from "./errors.ts";
import { prepareExact } from "./open.ts";
import { DELETE_REQUESTS, INSERT_REQUEST, insertPets, SELECT_REQUEST, WRITE_NOTHING } from "./statements.ts";

/** How many rows one statement inserts. More rows are hardly faster. */
const ROWS = 16;

/** A create that waits, with the functions that settle its promise. */
export interface Create {
  /** Undefined for a probe: a commit that adds no pet, and shows whether a create would succeed. */
  row: [name: string, categoryId: bigint, status: bigint] | undefined;
  request: IdempotentRequest | undefined;
  resolve(outcome: IdempotentOutcome): void;
  reject(error: unknown): void;
}

/** Settles the promise of a create. Called after the commit. */
type Acknowledgement = () => void;

/** Inserts creates within a transaction that the caller begins and ends. */
export class Inserter {
  readonly #insertOne: StatementSync;
  readonly #insertMany: StatementSync;
  readonly #findRequest: StatementSync;
  readonly #insertRequest: StatementSync;
  readonly #deleteExpired: StatementSync;
  readonly #writeNothing: StatementSync[];
  readonly #savepoint: StatementSync;
  readonly #rollback: StatementSync;
  readonly #release: StatementSync;

  constructor(db: DatabaseSync) {
    // All of them exact: Node 26 reports the last id of the connection even for a savepoint.
    const prepare = (sql: string) => prepareExact(db, sql);
    this.#insertOne = prepare(insertPets(1));
    this.#insertMany = prepare(insertPets(ROWS));
    this.#findRequest = prepare(SELECT_REQUEST);
    this.#insertRequest = prepare(INSERT_REQUEST);
    this.#deleteExpired = prepare(DELETE_REQUESTS);
    this.#writeNothing = WRITE_NOTHING.map(prepare);
    this.#savepoint = prepare("SAVEPOINT before");
    this.#rollback = prepare("ROLLBACK TO before");
    this.#release = prepare("RELEASE before");
  }

  /** Inserts creates in order. Throws if one is invalid, or if the database fails. */
  insert(creates: readonly Create[]): Acknowledgement[] {
    const now = BigInt(Date.now());
    const acknowledgements: Acknowledgement[] = [];
    for (let i = 0; i < creates.length;) {
      const next = creates.slice(i, i + ROWS);
      if (next.length === ROWS && next.every(({ row, request }) => row && !request)) {
        acknowledgements.push(...this.#insertTogether(next));
        i += ROWS;
      } else acknowledgements.push(this.#insertAlone(creates[i++]!, now));
    }
    const requests = creates.filter(({ request }) => request).length;
    // Deleting twice as many as were added shrinks the backlog, and no single commit has many to delete.
    if (requests > 0) this.#deleteExpired.run(now, BigInt(2 * requests));
    return acknowledgements;
  }

  /** Inserts a create, or nothing if it is invalid. Throws if the database fails. */
  insertOrReject(create: Create): Acknowledgement[] {
    let acknowledgements: Acknowledgement[];
    this.#savepoint.run();
    try {
      acknowledgements = this.insert([create]);
    } catch (error) {
      // The caller rolls the whole transaction back after an outage, and SQLite may have ended it already.
      if (isOutage(error)) throw error;
      this.#rollback.run();
      acknowledgements = [() => create.reject(error)];
    }
    this.#release.run();
    return acknowledgements;
  }

  #insertTogether(creates: readonly Create[]): Acknowledgement[] {
    const { lastInsertRowid } = this.#insertMany.run(...creates.flatMap(({ row }) => row!));
    const first = BigInt(lastInsertRowid) - BigInt(ROWS - 1);
    return creates.map(({ resolve }, i) => () => resolve({ outcome: "created", id: first + BigInt(i) }));
  }

  #insertAlone({ row, request, resolve }: Create, now: bigint): Acknowledgement {
    if (!row) {
      for (const statement of this.#writeNothing) statement.run();
      return () => resolve({ outcome: "reused" });
    }
    const known = request && this.#findRequest.get(request.key, now);
    if (known) {
      const id = known["pet_id"] as bigint;
      const isSame = known["fingerprint"] === request.fingerprint;
      return () => resolve(isSame ? { outcome: "replayed", id } : { outcome: "reused" });
    }
    const id = BigInt(this.#insertOne.run(...row).lastInsertRowid);
    if (request) this.#insertRequest.run(request.key, request.fingerprint, id, now + BigInt(request.retentionMs));
    return () => resolve({ outcome: "created", id });
  }
}
