/** What a statement and a store on a pool of its own leave behind, however they end: on a pool whose connections answer as the test says. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { StoreUnavailableError } from "@petstore/petstore/store";
// @ts-types="@types/pg"
import type { Pool } from "pg";
import { Database } from "../lib/client/database.ts";
import { openOnOwnPool, withOwnPool } from "../lib/own_pool.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

/** What becomes of a statement. */
type Answer = "rows" | "fails" | "hangs";

class Connection extends EventEmitter {
  /** What each release was given: an error, or nothing if the connection may be used again. */
  readonly released: unknown[] = [];
  /** The process in PostgreSQL, which a pooler may not tell. */
  readonly processID: number | undefined;
  readonly #pool: FakePool;
  readonly #lost = Promise.withResolvers<never>();

  constructor(pool: FakePool) {
    super();
    this.#pool = pool;
    this.processID = pool.processID;
    this.#lost.promise.catch(() => {});
  }

  async query({ text }: { text: string }): Promise<unknown> {
    this.#pool.sent.push(text);
    if (this.#pool.answer === "hangs") return await this.#lost.promise;
    if (this.#pool.answer === "fails") throw new Error("The connection was lost");
    return { rows: [[text]], command: "SELECT", rowCount: 1, fields: [{}] };
  }

  getTransactionStatus(): string {
    return "I";
  }

  release(error?: Error): void {
    this.released.push(error);
    if (error) this.#lost.reject(error);
  }
}

/** A pool of one connection at a time. */
class FakePool extends EventEmitter {
  readonly totalCount = 0;
  readonly options = { max: 1 };
  readonly connections: Connection[] = [];
  /** The texts that the connections got. */
  readonly sent: string[] = [];
  answer: Answer = "rows";
  /** What a new connection waits for. */
  opening: Promise<void> = Promise.resolve();
  processID: number | undefined;
  ends = 0;

  /** Never resolves while the connections hang, as with those to a lost host. */
  end(): Promise<void> {
    this.ends++;
    if (this.answer === "hangs") return new Promise(() => {});
    return this.answer === "fails" ? Promise.reject(new Error("The connection was lost")) : Promise.resolve();
  }

  async connect(): Promise<Connection> {
    await this.opening;
    this.connections.push(new Connection(this));
    return this.connections.at(-1)!;
  }
}

function countListeners(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a statement leaves no timer, no listener and no place taken, however it ends, and the next one is answered", () =>
  withVirtualClock(async ({ pending }) => {
    const pool = new FakePool();
    const db = new Database(pool, { timeoutMs: 1_000 });
    for (const answer of ["rows", "fails", "rows", "hangs", "rows"] as const) {
      pool.answer = answer;
      const result = db.query("SELECT 1");
      if (answer === "rows") assert.deepEqual(await result, [["SELECT 1"]]);
      else await assert.rejects(result, StoreUnavailableError);
      // The connection is given back a moment later.
      await turn();
      assert.deepEqual(db.load, { size: 1, running: 0, waiting: 0 }, answer);
      const connection = pool.connections.at(-1)!;
      assert.deepEqual(connection.released.map((error) => error === undefined), [answer === "rows"], answer);
      assert.equal(countListeners(connection), 0, answer);
      assert.equal(pending(), 0, answer);
    }
    db.release();
    assert.equal(countListeners(pool), 0);
  }));

test("many stores on one pool listen to it, and to each connection, as one does, until the last of them is closed", () => {
  const pool = new FakePool();
  const listenersOfConnection = () => {
    const connection = new EventEmitter();
    pool.emit("connect", connection);
    return countListeners(connection);
  };
  const stores = Array.from({ length: 12 }, () => new Database(pool, {}));
  for (const store of stores) {
    assert.deepEqual([countListeners(pool), listenersOfConnection()], [2, 1]);
    store.release();
  }
  assert.deepEqual([countListeners(pool), listenersOfConnection()], [0, 0]);
});

test("a statement that was given up while it waited is not sent later, and neither is one of a closed store", () =>
  withVirtualClock(async ({ now }) => {
    const pool = new FakePool();
    const db = new Database(pool, { timeoutMs: 1_000 });
    pool.answer = "hangs";
    const first = db.query("first", [], { deadline: now() + 2_000 });
    await assert.rejects(db.query("waits"), /has not answered within 1000 ms/);
    assert.deepEqual(db.load, { size: 1, running: 1, waiting: 0 });
    await assert.rejects(first, /has not answered within 2000 ms/);
    pool.answer = "rows";
    assert.deepEqual(await db.query("second"), [["second"]]);
    pool.answer = "hangs";
    await turn();
    const last = db.query("last"), waiting = db.query("waits too");
    await turn();
    db.release();
    await assert.rejects(waiting, /The store has been closed/);
    await assert.rejects(last, StoreUnavailableError);
    assert.deepEqual([pool.sent, countListeners(pool)], [["first", "second", "last"], 0]);
  }));

test("a statement that was given up while its connection was opened is not sent later, and the connection is used again", () =>
  withVirtualClock(async () => {
    const pool = new FakePool(), { promise, resolve: open } = Promise.withResolvers<void>();
    const db = new Database(pool, { timeoutMs: 1_000 });
    pool.opening = promise;
    await assert.rejects(db.query("late"), /has not answered within 1000 ms/);
    open();
    await turn();
    assert.deepEqual(await db.query("next"), [["next"]]);
    assert.deepEqual([pool.sent, pool.connections[0]!.released], [["next"], [undefined]]);
    db.release();
  }));

test("a create that is given up may be stored, its statement is cancelled by its process, and a cancellation that fails leaves nothing", () =>
  withVirtualClock(async ({ pending }) => {
    const pool = Object.assign(new FakePool(), { processID: 7 });
    // The network is lost after the first statement.
    Object.defineProperty(pool, "answer", { get: () => pool.sent.length === 1 ? "hangs" : "fails" });
    const db = new Database(pool, { timeoutMs: 1_000 });
    const refusal = { message: /has not answered within 1000 ms/, mayBeStored: true };
    await assert.rejects(db.query("hangs", [], { mayStore: "pet" }), refusal);
    await turn();
    assert.match(pool.sent[1]!, /pg_cancel_backend/);
    assert.deepEqual([db.load.running, pending(), pool.sent.length], [0, 0, 2]);
    db.release();
  }));

test("a pool of its own is ended once, also if its store cannot be opened or its use fails, and leaves no timer", () =>
  withVirtualClock(async ({ now, pending }) => {
    for (const answer of ["fails", "hangs"] as const) {
      const pool = Object.assign(new FakePool(), { answer });
      await assert.rejects(openOnOwnPool(pool as unknown as Pool, { timeoutMs: 1_000 }), StoreUnavailableError);
      assert.deepEqual([pool.ends, countListeners(pool), pending()], [1, 0, 0], answer);
    }
    for (const answer of ["rows", "fails", "hangs"] as const) {
      const pool = Object.assign(new FakePool(), { answer }) as unknown as Pool & FakePool;
      assert.equal(await withOwnPool(pool, () => Promise.resolve("used")), "used");
      const begun = now();
      await assert.rejects(withOwnPool(pool, () => Promise.reject(new Error("broken"))), /^Error: broken$/);
      assert.deepEqual([pool.ends, pending(), now() - begun], [2, 0, answer === "hangs" ? 2_000 : 0], answer);
    }
  }));
