import type { DatabaseSync, StatementSync } from "node:sqlite";
import { statusCode } from "../status_code.ts";
import { type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";
import { outcomeOfRepeated, type RememberedRequest } from "../remembered_request.ts";
import { type Outcome, uncertainOutcomeError, type Write } from "../database/writing_store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable, isIoError, unavailableFrom } from "./errors.ts";
import { beginWrite, prepareWithBigInts, rollback } from "./transaction.ts";

/** If so many creates follow each other, one statement adds all their pets, for speed. */
const PETS_PER_INSERT = 16;

/** The largest id that a JavaScript number holds exactly, so that clients read the id which the service means. */
const MAX_ID = 2n ** 53n - 1n;

/**
 * The transactions that write pets, on one connection. The thread that serves has one for lone
 * creates, and the thread that writes has one for the rest.
 */
export class WriteTransactions {
  readonly connection: Connection;
  readonly #sql: PreparedStatements;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#sql = prepareAll(connection.db);
  }

  /**
   * Commits writes in one transaction, in order. If this throws, nothing has been written, unless
   * the error says that it may have been.
   *
   * @param patienceMs How long the thread may be blocked by the lock of another connection.
   */
  commit(writes: readonly Write[], patienceMs: number): Outcome[] {
    try {
      this.connection.sharedRead.end();
      beginWrite(this.connection.db, patienceMs);
      // Another program may have moved the file, or changed its schema.
      this.connection.requireCommittable();
      const outcomes = this.apply(writes);
      this.#commitWritten();
      return outcomes;
    } catch (error) {
      rollback(this.connection.db);
      throw asUnavailable(error, this.connection.givenPath);
    }
  }

  #commitWritten(): void {
    try {
      this.connection.db.exec("COMMIT");
    } catch (error) {
      // The log may have the whole commit before its sync fails, and the next start would find it there.
      throw isIoError(error) ? uncertainOutcomeError(unavailableFrom(error, this.connection.givenPath)) : error;
    }
  }

  /**
   * Carries out writes within a transaction that the caller has begun.
   *
   * @throws {StoreUnavailableError} If other rows than these pets were added. The caller rolls the
   * transaction back.
   */
  apply(writes: readonly Write[]): Outcome[] {
    const now = BigInt(Date.now());
    // SQLite numbers pets in their order, each one more than the last.
    let lastId = this.#sql.lastId.get()!["last"] as bigint;
    this.#requireFreeIds(lastId, writes.length);
    const outcomes: Outcome[] = [];
    while (outcomes.length < writes.length) {
      const next = writes.slice(outcomes.length, outcomes.length + PETS_PER_INSERT);
      const areCreates = next.length === PETS_PER_INSERT && next.every(isCreate);
      if (areCreates) {
        this.#insert(this.#sql.insertMany, next.map(({ pet }) => pet), lastId + BigInt(PETS_PER_INSERT));
        for (let i = 0; i < PETS_PER_INSERT; i++) outcomes.push({ outcome: "created", id: ++lastId });
      } else {
        const outcome = this.#applyOne(next[0]!, lastId + 1n, now);
        if (outcome.outcome === "created") lastId = outcome.id;
        outcomes.push(outcome);
      }
    }
    this.#deleteExpired(writes, now);
    return outcomes;
  }

  #requireFreeIds(lastId: bigint, count: number): void {
    if (lastId + BigInt(count) <= MAX_ID) return;
    throw new StoreUnavailableError(
      `${this.connection.givenPath}: the last id is ${lastId}, and ids end at ${MAX_ID}; another program has raised it`,
    );
  }

  /** @param id The id of the pet, if the write adds one. */
  #applyOne(write: Write, id: bigint, now: bigint): Outcome {
    switch (write.kind) {
      case "create":
        this.#insert(this.#sql.insertOne, [write.pet], id);
        return { outcome: "created", id };
      case "createOnce":
        return this.#insertOnce(write.pet, write.request, id, now);
      case "probe":
        for (const statement of this.#sql.writeNothing) statement.run();
        return { outcome: "probed" };
    }
  }

  /** @param lastId The id that the last of these pets gets. */
  #insert(statement: StatementSync, pets: readonly PetDraft[], lastId: bigint): void {
    // The id alone does not tell: if no row was added, it is still that of an earlier statement,
    // which may have been undone.
    const { changes, lastInsertRowid } = statement.run(...pets.flatMap(rowOf));
    this.#requireStored(Number(changes) === pets.length && BigInt(lastInsertRowid) === lastId);
  }

  #insertOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: bigint): Outcome {
    const remembered = this.#sql.findRequest.get(key, now) as RememberedRequest | undefined;
    if (remembered) return outcomeOfRepeated(remembered, fingerprint);
    this.#insert(this.#sql.insertOne, [pet], id);
    const { changes } = this.#sql.insertRequest.run(key, fingerprint, id, now + BigInt(retentionMs));
    this.#requireStored(Number(changes) === 1);
    return { outcome: "created", id };
  }

  /** Deletes up to twice as many expired requests as were added, so that the backlog shrinks in small steps. */
  #deleteExpired(writes: readonly Write[], now: bigint): void {
    const requests = writes.filter(({ kind }) => kind === "createOnce").length;
    if (requests > 0) this.#sql.deleteExpired.run(now, BigInt(2 * requests));
  }

  /**
   * Another program may have added a trigger that ignores a row or adds others before it. A client
   * must not be told of a pet that was not stored, or of another one.
   */
  #requireStored(isAsSent: boolean): void {
    if (isAsSent) return;
    throw new StoreUnavailableError(
      `${this.connection.givenPath}: a create has stored another row, or none, so it was undone; is there a trigger of another program?`,
    );
  }
}

/**
 * Statements that store nothing, but write about as much as a create does: a full disk may still
 * have room for less.
 */
export const WRITE_NOTHING: readonly string[] = [
  "UPDATE alteration SET stamp = stamp",
  "UPDATE sqlite_sequence SET seq = seq WHERE name = 'pets'",
  "INSERT INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES ('', '', 0, 0)",
  "DELETE FROM idempotency_keys WHERE key = ''",
];

type PreparedStatements = ReturnType<typeof prepareAll>;

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string) => prepareWithBigInts(db, sql);
  return {
    /** Finds the id after which SQLite numbers the next pet (AUTOINCREMENT). */
    lastId: prepare(
      `SELECT max(ifnull((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'pets'), 0),
        ifnull((SELECT max(id) FROM pets), 0)) AS last`,
    ),
    /** Adds a pet. Parameters: those of {@link rowOf}. */
    insertOne: prepare(insertPets(1)),
    /** Adds {@link PETS_PER_INSERT} pets. Parameters: those of each pet, one after another. */
    insertMany: prepare(insertPets(PETS_PER_INSERT)),
    /** Finds a remembered request. Parameters: key, now. */
    findRequest: prepare("SELECT fingerprint, pet_id AS id FROM idempotency_keys WHERE key = ? AND expires_at > ?"),
    /** Remembers a request. It replaces an expired one with the same key. */
    insertRequest: prepare(
      "INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES (?, ?, ?, ?)",
    ),
    /** Deletes requests that have expired. Parameters: now, the largest number to delete. */
    deleteExpired: prepare(
      `DELETE FROM idempotency_keys WHERE key IN
        (SELECT key FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    ),
    writeNothing: WRITE_NOTHING.map(prepare),
  };
}

function insertPets(count: number): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ${Array(count).fill("(?, ?, ?)").join(", ")}`;
}

function isCreate(write: Write): write is Write & { kind: "create" } {
  return write.kind === "create";
}

/** Makes the values of a pet's row. Numbers are bigints, because `node:sqlite` binds a JavaScript number as REAL. */
function rowOf({ name, categoryId, status }: PetDraft): [name: string, categoryId: bigint, status: bigint] {
  return [name, categoryId, BigInt(statusCode(status))];
}
