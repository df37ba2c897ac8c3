import type { DatabaseSync } from "node:sqlite";
import { statusCode } from "../status_code.ts";
import { type PetDraft, StoreUnavailableError } from "../store.ts";
import { type Outcome, recall, uncertain, unknownKind, type Write } from "../write.ts";
import { asUnavailable } from "./errors.ts";
import type { FileWatch } from "./file_watch.ts";
import type { SharedRead } from "./shared_read.ts";
import {
  DELETE_REQUESTS,
  INSERT_REQUEST,
  insertPets,
  SELECT_ADDED,
  SELECT_LAST_ID,
  SELECT_REQUEST,
  WRITE_NOTHING,
} from "./statements.ts";
import { beginWrite, prepareExact, runAndCommit } from "./transaction.ts";

/** How many pets one statement adds, if so many creates follow each other. */
const ROWS = 16;

/** The largest id that a JavaScript number holds exactly, so that clients read the id which the service means. */
const MAX_ID = 2n ** 53n - 1n;

/**
 * The transactions that write pets, on one connection. The thread that serves has one for lone creates, and the thread that writes has one
 * for the rest.
 */
export class WriteTransactions {
  readonly #db: DatabaseSync;
  readonly #watch: FileWatch;
  readonly #sql: ReturnType<typeof prepareAll>;
  readonly #shared: SharedRead | undefined;

  /** @param shared The reads of the same connection, whose transaction ends before one that writes. */
  constructor(db: DatabaseSync, watch: FileWatch, shared?: SharedRead) {
    this.#db = db;
    this.#watch = watch;
    this.#shared = shared;
    this.#sql = prepareAll(db);
  }

  /**
   * Commits writes in one transaction, in order. If this throws, nothing has been written, unless the error says that it may have been.
   */
  commit(writes: readonly Write[], patience: number): Outcome[] {
    let mayBeStored = false;
    try {
      this.#shared?.end();
      beginWrite(this.#db, patience);
      return runAndCommit(this.#db, () => {
        this.#watch.requireWritable();
        return this.apply(writes);
      }, () => mayBeStored = true);
    } catch (error) {
      const failure = asUnavailable(error, this.#watch.path);
      throw mayBeStored && failure instanceof StoreUnavailableError ? uncertain(failure) : failure;
    }
  }

  /**
   * Carries out writes within a transaction. SQLite numbers pets in their order, each one more than the last, so the ids are known
   * before. Another program may have added a trigger that ignores a row, deletes it or adds others: whether exactly these pets are there
   * is looked at in the end, so that no client is told of a pet that is not stored, or of another one.
   *
   * @throws {StoreUnavailableError} If other rows than these pets were added. The caller rolls the transaction back.
   */
  apply(writes: readonly Write[]): Outcome[] {
    const now = BigInt(Date.now());
    const outcomes: Outcome[] = [];
    const before = BigInt(this.#sql.lastId.get()!["last"] as bigint);
    if (before + BigInt(writes.length) > MAX_ID) throw this.#outOfIds(before);
    let last = before, i = 0;
    while (i < writes.length) {
      const next = writes.slice(i, i + ROWS);
      if (next.length === ROWS && next.every(isCreate)) {
        this.#sql.insertMany.run(...next.flatMap(({ pet }) => rowOf(pet)));
        i += ROWS;
        for (let row = 0; row < ROWS; row++) outcomes.push({ outcome: "created", id: ++last });
      } else {
        const outcome = this.#applyOne(writes[i++]!, last + 1n, now);
        if (outcome.outcome === "created") last = outcome.id;
        outcomes.push(outcome);
      }
    }
    if (last > before) this.#requireAdded(before, last);
    const requests = writes.filter(({ kind }) => kind === "createOnce").length;
    // It deletes twice as many as were added, so that the backlog shrinks in small steps.
    if (requests > 0) this.#sql.deleteExpired.run(now, BigInt(2 * requests));
    return outcomes;
  }

  /** Checks that the pets after the id `before` are as many as were added, the last with the id `last`. */
  #requireAdded(before: bigint, last: bigint): void {
    const { count, greatest } = this.#sql.added.get(before) as { count: bigint; greatest: bigint };
    if (count !== last - before || greatest !== last) throw this.#interfered("another pet than was added, or none");
  }

  #outOfIds(last: bigint): StoreUnavailableError {
    return new StoreUnavailableError(
      `${this.#watch.path}: the last id is ${last}, and ids end at ${MAX_ID}; another program has raised it`,
    );
  }

  #interfered(what: string): StoreUnavailableError {
    return new StoreUnavailableError(
      `${this.#watch.path}: a create has stored ${what}, so it was undone; is there a trigger of another program?`,
    );
  }

  /** @param id What a pet gets that this adds. */
  #applyOne(write: Write, id: bigint, now: bigint): Outcome {
    switch (write.kind) {
      case "create":
        this.#sql.insertOne.run(...rowOf(write.pet));
        return { outcome: "created", id };
      case "createOnce":
        return this.#insertOnce(write, id, now);
      case "probe":
        for (const statement of this.#sql.writeNothing) statement.run();
        return { outcome: "probed" };
      default:
        return unknownKind(write);
    }
  }

  #insertOnce({ pet, request }: Write & { kind: "createOnce" }, id: bigint, now: bigint): Outcome {
    const { key, fingerprint, retentionMs } = request;
    const known = recall(this.#sql.findRequest.get(key, now), fingerprint);
    if (known) return known;
    this.#sql.insertOne.run(...rowOf(pet));
    const expiresAt = now + BigInt(retentionMs);
    this.#sql.insertRequest.run(key, fingerprint, id, expiresAt);
    // A retry finds the request by its row. Without it, or with another one, the retry would add a second pet, or be told of another.
    const remembered = recall(this.#sql.findRequest.get(key, expiresAt - 1n), fingerprint);
    if (remembered?.outcome !== "replayed" || remembered.id !== id) {
      throw this.#interfered("another Idempotency-Key, or none");
    }
    return { outcome: "created", id };
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string) => prepareExact(db, sql);
  return {
    lastId: prepare(SELECT_LAST_ID),
    added: prepare(SELECT_ADDED),
    insertOne: prepare(insertPets(1)),
    insertMany: prepare(insertPets(ROWS)),
    findRequest: prepare(SELECT_REQUEST),
    insertRequest: prepare(INSERT_REQUEST),
    deleteExpired: prepare(DELETE_REQUESTS),
    writeNothing: WRITE_NOTHING.map(prepare),
  };
}

function isCreate(write: Write): write is Write & { kind: "create" } {
  return write.kind === "create";
}

/** Bigints only, because `node:sqlite` binds a JavaScript number as REAL. */
function rowOf({ name, categoryId, status }: PetDraft): [name: string, categoryId: bigint, status: bigint] {
  return [name, categoryId, BigInt(statusCode(status))];
}
