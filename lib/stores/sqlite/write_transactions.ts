import type { DatabaseSync } from "node:sqlite";
import { statusCode } from "../status_code.ts";
import { type IdempotentRequest, type PetDraft, StoreUnavailableError } from "../store.ts";
import { type Outcome, recall, uncertain, type Write } from "../write.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable, isIoError, unavailableFrom } from "./errors.ts";
import { beginWrite, prepareExact, rollback } from "./transaction.ts";

/** If so many creates follow each other, one statement adds all their pets, for speed. */
const PETS_PER_INSERT = 16;

/** The largest id that a JavaScript number holds exactly, so that clients read the id which the service means. */
const MAX_ID = 2n ** 53n - 1n;

/**
 * The transactions that write pets, on one connection. The thread that serves has one for lone creates, and the thread that writes has one
 * for the rest.
 */
export class WriteTransactions {
  readonly connection: Connection;
  readonly #sql: PreparedStatements;

  constructor(connection: Connection) {
    this.connection = connection;
    this.#sql = prepareAll(connection.db);
  }

  /**
   * Commits writes in one transaction, in order. If this throws, nothing has been written, unless the error says that it may have been.
   *
   * @param patienceMs How long the thread may be blocked by the lock of another connection.
   */
  commit(writes: readonly Write[], patienceMs: number): Outcome[] {
    try {
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
      throw isIoError(error) ? uncertain(unavailableFrom(error, this.connection.givenPath)) : error;
    }
  }

  /**
   * Carries out writes within a transaction that the caller has begun. For speed, SQLite is not asked for the id of each pet: it numbers
   * pets in their order, each one more than the last.
   *
   * @throws {StoreUnavailableError} If other rows than these pets were added. The caller rolls the transaction back.
   */
  apply(writes: readonly Write[]): Outcome[] {
    const now = BigInt(Date.now());
    const lastIdBefore = this.#readLastId();
    this.#requireFreeIds(lastIdBefore, writes.length);
    const outcomes: Outcome[] = [];
    let lastId = lastIdBefore;
    while (outcomes.length < writes.length) {
      const next = writes.slice(outcomes.length, outcomes.length + PETS_PER_INSERT);
      const areCreates = next.length === PETS_PER_INSERT && next.every(isCreate);
      if (areCreates) {
        this.#sql.insertMany.run(...next.flatMap(({ pet }) => rowOf(pet)));
        for (let i = 0; i < PETS_PER_INSERT; i++) outcomes.push({ outcome: "created", id: ++lastId });
      } else {
        const outcome = this.#applyOne(next[0]!, lastId + 1n, now);
        if (outcome.outcome === "created") lastId = outcome.id;
        outcomes.push(outcome);
      }
    }
    this.#requireAdded(lastIdBefore, lastId);
    this.#deleteExpired(writes, now);
    return outcomes;
  }

  /** The id after which SQLite numbers the next pet. */
  #readLastId(): bigint {
    return this.#sql.lastId.get()!["last"] as bigint;
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
        this.#sql.insertOne.run(...rowOf(write.pet));
        return { outcome: "created", id };
      case "createOnce":
        return this.#insertOnce(write.pet, write.request, id, now);
      case "probe":
        for (const statement of this.#sql.writeNothing) statement.run();
        return { outcome: "probed" };
    }
  }

  #insertOnce(pet: PetDraft, { key, fingerprint, retentionMs }: IdempotentRequest, id: bigint, now: bigint): Outcome {
    // The outcome of a repetition, or a conflict. It is undefined if no request with this key is remembered.
    const known = recall(this.#sql.findRequest.get(key, now), fingerprint);
    if (known) return known;
    this.#sql.insertOne.run(...rowOf(pet));
    const expiresAt = now + BigInt(retentionMs);
    this.#sql.insertRequest.run(key, fingerprint, id, expiresAt);
    // A retry finds the request by its row, so the row is read back as in the last millisecond in which it is valid. If a trigger has
    // removed the row, the retry would add a second pet. If a trigger has changed it, the retry would be told of another pet.
    const remembered = recall(this.#sql.findRequest.get(key, expiresAt - 1n), fingerprint);
    if (remembered?.outcome !== "replayed" || remembered.id !== id) {
      throw this.#interferenceError("another Idempotency-Key, or none");
    }
    return { outcome: "created", id };
  }

  /**
   * Checks that the pets after the id `idBefore` are as many as were added, and that the last one has the id `lastId`. Another program may
   * have added a trigger that ignores a row, deletes it or adds others. A client must not be told of a pet that is not stored, or of another
   * one.
   */
  #requireAdded(idBefore: bigint, lastId: bigint): void {
    if (lastId === idBefore) return;
    const { count, greatest } = this.#sql.added.get(idBefore) as { count: bigint; greatest: bigint };
    const areAdded = count === lastId - idBefore && greatest === lastId;
    if (!areAdded) throw this.#interferenceError("another pet than was added, or none");
  }

  /** Deletes up to twice as many expired requests as were added, so that the backlog shrinks in small steps. */
  #deleteExpired(writes: readonly Write[], now: bigint): void {
    const requests = writes.filter(({ kind }) => kind === "createOnce").length;
    if (requests > 0) this.#sql.deleteExpired.run(now, BigInt(2 * requests));
  }

  #interferenceError(what: string): StoreUnavailableError {
    return new StoreUnavailableError(
      `${this.connection.givenPath}: a create has stored ${what}, so it was undone; is there a trigger of another program?`,
    );
  }
}

/** Statements that store nothing, but write about as much as a create does: a full disk may still have room for less. */
export const WRITE_NOTHING: readonly string[] = [
  "UPDATE alteration SET stamp = stamp",
  "UPDATE sqlite_sequence SET seq = seq WHERE name = 'pets'",
  "INSERT INTO idempotency_keys (key, fingerprint, pet_id, expires_at) VALUES ('', '', 0, 0)",
  "DELETE FROM idempotency_keys WHERE key = ''",
];

type PreparedStatements = ReturnType<typeof prepareAll>;

function prepareAll(db: DatabaseSync) {
  // Such a statement returns integers as bigints.
  const prepare = (sql: string) => prepareExact(db, sql);
  return {
    /** Finds the id after which SQLite numbers the next pet (AUTOINCREMENT). */
    lastId: prepare(
      `SELECT max(ifnull((SELECT CAST(seq AS INTEGER) FROM sqlite_sequence WHERE name = 'pets'), 0),
        ifnull((SELECT max(id) FROM pets), 0)) AS last`,
    ),
    /** Counts the pets after an id, and finds the largest of their ids. */
    added: prepare("SELECT count(*) AS count, ifnull(max(id), 0) AS greatest FROM pets WHERE id > ?"),
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
