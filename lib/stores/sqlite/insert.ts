import type { DatabaseSync } from "node:sqlite";
import { statusCode } from "../status_code.ts";
import type { PetDraft } from "../store.ts";
import { type Outcome, recall, unknownKind, type Write } from "../write.ts";
import { asUnavailable } from "./errors.ts";
import type { FileWatch } from "./file_watch.ts";
import type { ReadTurn } from "./read_turn.ts";
import { DELETE_REQUESTS, INSERT_REQUEST, insertPets, SELECT_REQUEST, WRITE_NOTHING } from "./statements.ts";
import { begin, commit, prepareExact } from "./transaction.ts";

const ROWS = 16;

export class Transactions {
  readonly #db: DatabaseSync;
  readonly #watch: FileWatch;
  readonly #reads: ReadTurn | undefined;
  readonly #sql: ReturnType<typeof prepareAll>;

  constructor(db: DatabaseSync, watch: FileWatch, reads?: ReadTurn) {
    this.#db = db;
    this.#watch = watch;
    this.#reads = reads;
    this.#sql = prepareAll(db);
  }

  /** Commits writes in one transaction, in order. If this throws, nothing has been written. */
  commit(writes: readonly Write[], patience: number): Outcome[] {
    try {
      this.#reads?.end();
      begin(this.#db, patience);
      return commit(this.#db, () => {
        this.#watch.requireWritable();
        return this.apply(writes);
      });
    } catch (error) {
      throw asUnavailable(error, this.#watch.path);
    }
  }

  /** Carries out writes within a transaction. */
  apply(writes: readonly Write[]): Outcome[] {
    const now = BigInt(Date.now());
    const outcomes: Outcome[] = [];
    for (let i = 0; i < writes.length;) {
      const next = writes.slice(i, i + ROWS);
      if (next.length === ROWS && next.every(isCreate)) {
        const last = BigInt(this.#sql.insertMany.run(...next.flatMap(({ pet }) => rowOf(pet))).lastInsertRowid);
        i += ROWS;
        for (let before = ROWS; before-- > 0;) outcomes.push({ outcome: "created", id: last - BigInt(before) });
      } else outcomes.push(this.#applyOne(writes[i++]!, now));
    }
    const requests = writes.filter(({ kind }) => kind === "createOnce").length;
    // Twice as many as were added, so that the backlog shrinks in small steps.
    if (requests > 0) this.#sql.deleteExpired.run(now, BigInt(2 * requests));
    return outcomes;
  }

  #applyOne(write: Write, now: bigint): Outcome {
    switch (write.kind) {
      case "create":
        return { outcome: "created", id: this.#insert(write.pet) };
      case "createOnce":
        return this.#insertOnce(write, now);
      case "probe":
        for (const statement of this.#sql.writeNothing) statement.run();
        return { outcome: "probed" };
      default:
        return unknownKind(write);
    }
  }

  #insertOnce({ pet, request }: Write & { kind: "createOnce" }, now: bigint): Outcome {
    const { key, fingerprint, retentionMs } = request;
    const known = recall(this.#sql.findRequest.get(key, now), fingerprint);
    if (known) return known;
    const id = this.#insert(pet);
    this.#sql.insertRequest.run(key, fingerprint, id, now + BigInt(retentionMs));
    return { outcome: "created", id };
  }

  #insert(pet: PetDraft): bigint {
    return BigInt(this.#sql.insertOne.run(...rowOf(pet)).lastInsertRowid);
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string) => prepareExact(db, sql);
  return {
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
