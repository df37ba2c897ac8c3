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

type Connection = ReturnType<typeof createConnection>;

/** @param processID The process in PostgreSQL, which a pooler may not tell. */
function createConnection(answerTo: (text: string) => Answer, processID: number | undefined) {
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  /** What each release was given: an error, or nothing if the connection may be used again. */
  const released: unknown[] = [];
  const query = async ({ text }: { text: string }) => {
    const answer = answerTo(text);
    if (answer === "hangs") return await lost;
    if (answer === "fails") throw new Error("The connection was lost");
    return { rows: [[text]], command: "SELECT", rowCount: 1, fields: [{}] };
  };
  const release = (error?: Error) => {
    released.push(error);
    if (error) lose(error);
  };
  return Object.assign(new EventEmitter(), { processID, released, query, release, getTransactionStatus: () => "I" });
}

/** A pool of one connection at a time. Its members may be changed while it is used. */
function createPool(answer: Answer = "rows", processID?: number) {
  const pool = Object.assign(new EventEmitter(), {
    totalCount: 0,
    options: { max: 1 },
    answer,
    /** What a new connection waits for. */
    opening: Promise.resolve(),
    connections: [] as Connection[],
    /** The texts that the connections got. */
    sent: [] as string[],
    ends: 0,
    /** Never resolves while the connections hang, as with those to a lost host. */
    end(): Promise<void> {
      pool.ends++;
      if (pool.answer === "hangs") return new Promise(() => {});
      return pool.answer === "fails" ? Promise.reject(new Error("The connection was lost")) : Promise.resolve();
    },
    async connect(): Promise<Connection> {
      await pool.opening;
      const connection = createConnection((text) => (pool.sent.push(text), pool.answer), processID);
      pool.connections.push(connection);
      return connection;
    },
  });
  return pool;
}

function countListeners(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a statement leaves no timer, no listener and no place taken, however it ends, and the next one is answered", () =>
  withVirtualClock(async ({ pending }) => {
    const pool = createPool();
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

test("a statement that was given up while it waited is not sent later, and neither is one of a closed store", () =>
  withVirtualClock(async ({ now }) => {
    const pool = createPool();
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
    const pool = createPool(), { promise, resolve: open } = Promise.withResolvers<void>();
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
    const pool = createPool("hangs", 7);
    const db = new Database(pool, { timeoutMs: 1_000 });
    const refusal = { message: /has not answered within 1000 ms/, mayBeStored: true };
    const create = db.query("hangs", [], { mayStore: "pet" });
    await turn();
    // The network is lost.
    pool.answer = "fails";
    await assert.rejects(create, refusal);
    await turn();
    assert.match(pool.sent[1]!, /pg_cancel_backend/);
    assert.deepEqual([db.load.running, pending(), pool.sent.length], [0, 0, 2]);
    db.release();
  }));

test("a pool of its own is ended once, also if its store cannot be opened or its use fails, and leaves no timer", () =>
  withVirtualClock(async ({ now, pending }) => {
    for (const answer of ["fails", "hangs"] as const) {
      const pool = createPool(answer);
      await assert.rejects(openOnOwnPool(pool as unknown as Pool, { timeoutMs: 1_000 }), StoreUnavailableError);
      assert.deepEqual([pool.ends, countListeners(pool), pending()], [1, 0, 0], answer);
    }
    for (const answer of ["rows", "fails", "hangs"] as const) {
      const pool = createPool(answer) as unknown as Pool & ReturnType<typeof createPool>;
      assert.equal(await withOwnPool(pool, () => Promise.resolve("used")), "used");
      const begun = now();
      await assert.rejects(withOwnPool(pool, () => Promise.reject(new Error("broken"))), /^Error: broken$/);
      assert.deepEqual([pool.ends, pending(), now() - begun], [2, 0, answer === "hangs" ? 2_000 : 0], answer);
    }
  }));
