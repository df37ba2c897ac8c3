/** Inserts the rows of a transaction, many in one statement if possible. */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IdempotentOutcome, IdempotentRequest } from "../store.ts";
import { isOutage } from "./errors.ts";
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

/** A create that inserts a pet. */
type Insert = Create & { row: NonNullable<Create["row"]> };

function hasRow(create: Create): create is Insert {
  return create.row !== undefined;
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
  readonly #release: StatementSync;
  readonly #rollback: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insertOne = db.prepare(insertPets(1));
    this.#insertMany = db.prepare(insertPets(ROWS));
    this.#findRequest = db.prepare(SELECT_REQUEST);
    // Otherwise new ids would be rounded if another program has inserted an id beyond 2^53.
    for (const statement of [this.#insertOne, this.#insertMany, this.#findRequest]) statement.setReadBigInts(true);
    this.#insertRequest = db.prepare(INSERT_REQUEST);
    this.#deleteExpired = db.prepare(DELETE_REQUESTS);
    this.#writeNothing = WRITE_NOTHING.map((sql) => db.prepare(sql));
    this.#savepoint = db.prepare("SAVEPOINT once");
    this.#release = db.prepare("RELEASE once");
    this.#rollback = db.prepare("ROLLBACK TO once");
  }

  /** Inserts creates in order. Throws if the database fails. An invalid row only rejects its own create. */
  insert(creates: readonly Create[]): Acknowledgement[] {
    const now = BigInt(Date.now());
    let plain: Insert[] = [];
    let requestCount = 0;
    const acknowledgements: Acknowledgement[] = [];
    for (const create of creates) {
      if (!hasRow(create)) {
        acknowledgements.push(this.#probe(create));
        continue;
      }
      if (create.request === undefined && plain.push(create) < ROWS) continue;
      this.#insertPlain(plain, now, acknowledgements);
      plain = [];
      if (create.request === undefined) continue;
      acknowledgements.push(this.#insertAlone(create, now));
      requestCount++;
    }
    this.#insertPlain(plain, now, acknowledgements);
    // Deleting twice as many as were added shrinks the backlog, and no single commit has many to delete.
    if (requestCount > 0) this.#deleteExpired.run(now, BigInt(2 * requestCount));
    return acknowledgements;
  }

  /** Like an invalid row, a probe that fails must not fail the creates beside it. */
  #probe({ resolve, reject }: Create): Acknowledgement {
    try {
      for (const statement of this.#writeNothing) statement.run();
      return () => resolve({ outcome: "reused" });
    } catch (error) {
      if (isOutage(error)) throw error;
      return () => reject(error);
    }
  }

  #insertPlain(creates: readonly Insert[], now: bigint, acknowledgements: Acknowledgement[]): void {
    if (creates.length === ROWS && this.#insertTogether(creates, acknowledgements)) return;
    for (const create of creates) acknowledgements.push(this.#insertAlone(create, now));
  }

  /** Inserts all rows in one statement. Returns false, and inserts none, if one of them is invalid. */
  #insertTogether(creates: readonly Insert[], acknowledgements: Acknowledgement[]): boolean {
    try {
      const { lastInsertRowid } = this.#insertMany.run(...creates.flatMap(({ row }) => row));
      const first = BigInt(lastInsertRowid) - BigInt(ROWS - 1);
      creates.forEach(({ resolve }, i) => {
        acknowledgements.push(() => resolve({ outcome: "created", id: first + BigInt(i) }));
      });
      return true;
    } catch (error) {
      if (isOutage(error)) throw error;
      return false;
    }
  }

  #insertAlone({ row, request, resolve, reject }: Insert, now: bigint): Acknowledgement {
    try {
      const outcome = request ? this.#insertOnce(row, request, now) : this.#insertRow(row);
      return () => resolve(outcome);
    } catch (error) {
      if (isOutage(error)) throw error;
      return () => reject(error);
    }
  }

  #insertRow(row: Insert["row"]): { outcome: "created"; id: bigint } {
    return { outcome: "created", id: BigInt(this.#insertOne.run(...row).lastInsertRowid) };
  }

  #insertOnce(row: Insert["row"], request: IdempotentRequest, now: bigint): IdempotentOutcome {
    const { key, fingerprint, retentionMs } = request;
    const known = this.#findRequest.get(key, now);
    if (known !== undefined) {
      return known["fingerprint"] === fingerprint
        ? { outcome: "replayed", id: known["pet_id"] as bigint }
        : { outcome: "reused" };
    }
    this.#savepoint.run();
    try {
      const outcome = this.#insertRow(row);
      this.#insertRequest.run(key, fingerprint, outcome.id, now + BigInt(retentionMs));
      this.#release.run();
      return outcome;
    } catch (error) {
      // The caller rolls the whole transaction back after an outage, and SQLite may have ended it already.
      if (isOutage(error)) throw error;
      this.#rollback.run();
      this.#release.run();
      throw error;
    }
  }
}
