/** What a statement and a store on a pool of its own leave behind, however they end, on a pool whose connections do what the test says. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { StoreUnavailableError } from "@petstore/petstore/store";
// @ts-types="@types/pg"
import type { Pool } from "pg";
import { Database } from "../lib/client/database.ts";
import { checkOptions } from "../lib/options.ts";
import { openOnOwnPool } from "../lib/own_pool.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

/** What becomes of a statement. */
type Answer = "rows" | "fails" | "hangs";

/** A pool of one connection at a time. Its members may be changed while it is used. */
class FakePool extends EventEmitter {
  readonly totalCount = 0;
  readonly options = { max: 1 };
  answer: Answer = "rows";
  failure = new Error("The connection was lost");
  /** What a new connection waits for. */
  opening = Promise.resolve();
  /** The texts that the connections got. */
  sent: string[] = [];
  /** Whether each connection that was given back can be used again. */
  released: boolean[] = [];
  ends = 0;

  async connect() {
    await this.opening;
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => {});
    const query = async ({ text }: { text: string }) => {
      this.sent.push(text);
      if (this.answer === "hangs") return await lost;
      if (this.answer === "fails") throw this.failure;
      return { rows: [[text]] };
    };
    const release = (error?: Error) => {
      this.released.push(error === undefined);
      lose(error);
    };
    return { processID: 7, query, release, getTransactionStatus: () => "I" };
  }

  /** Never resolves while the connections hang, as with those to a lost host. */
  end(): Promise<void> {
    this.ends++;
    return this.answer === "hangs" ? new Promise(() => {}) : Promise.resolve();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a statement leaves no timer and no place taken, however it ends, and the next one is answered", () =>
  withVirtualClock(async ({ pending }) => {
    const pool = new FakePool();
    const db = new Database(pool, checkOptions({ timeoutMs: 1_000 }));
    for (const answer of ["rows", "fails", "rows", "hangs", "rows"] as const) {
      pool.answer = answer;
      const result = db.query("SELECT 1");
      result.catch(() => {});
      await turn();
      // The cancellation of a statement that hangs fails, as the network is lost.
      pool.answer = "fails";
      if (answer === "rows") assert.deepEqual(await result, [["SELECT 1"]]);
      else await assert.rejects(result, StoreUnavailableError);
      await turn();
      assert.deepEqual(db.load, { size: 1, running: 0, waiting: 0 }, answer);
      assert.equal(pending(), 0, answer);
    }
    assert.equal(pool.sent.filter((text) => text.includes("pg_cancel_backend")).length, 1);
    assert.deepEqual(pool.released, [true, false, true, false, false, true]);
  }));

test("a statement that is given up while it waits for a connection is not sent later, also if the store is closed while another hangs", () =>
  withVirtualClock(async () => {
    const pool = new FakePool(), { promise, resolve: open } = Promise.withResolvers<void>();
    const db = new Database(pool, checkOptions({ timeoutMs: 1_000 }));
    pool.opening = promise;
    await assert.rejects(db.query("late"), /has not answered within 1000 ms/);
    open();
    await turn();
    assert.deepEqual(await db.query("next"), [["next"]]);
    pool.answer = "hangs";
    const sent = db.query("sent"), waiting = db.query("waiting");
    sent.catch(() => {});
    await turn();
    db.release();
    await assert.rejects(waiting, /The store has been closed/);
    assert.deepEqual(pool.sent, ["next", "sent"]);
  }));

/** The errors of a create, and whether its pet may have been stored then. */
const ERRORS: [what: string, error: { severity?: string; code?: string }, mayBeStored: boolean][] = [
  ["the connection is lost", {}, true],
  ["a pooler loses its connection", { severity: "ERROR", code: "08006" }, true],
  ["the disk is full", { severity: "ERROR", code: "53100" }, false],
  ["a row is refused, in German", { severity: "FEHLER", code: "23514" }, false],
  ["PostgreSQL is stopped, in Russian", { severity: "ВАЖНО", code: "57P01" }, true],
];

test("a create that fails says whether its pet may have been stored", async () => {
  const pool = new FakePool();
  const db = new Database(pool, checkOptions({}));
  pool.answer = "fails";
  for (const [what, error, mayBeStored] of ERRORS) {
    Object.assign(pool.failure, error);
    await assert.rejects(db.query("create", [], { mayStore: "pet" }), { mayBeStored }, what);
  }
});

test("a pool of its own is ended if its store cannot be opened, within its time limit", () =>
  withVirtualClock(async ({ now }) => {
    for (const answer of ["fails", "hangs"] as const) {
      const pool = Object.assign(new FakePool(), { answer }), begun = now();
      await assert.rejects(openOnOwnPool(pool as unknown as Pool, { timeoutMs: 1_000 }), StoreUnavailableError);
      assert.deepEqual([pool.ends, now() - begun], [1, answer === "hangs" ? 3_000 : 0]);
    }
  }));
