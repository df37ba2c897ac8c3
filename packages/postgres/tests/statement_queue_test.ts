/** Statements, and a store on a pool of its own, on a pool whose connections do what the test says. */

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { StoreUnavailableError } from "@petstore/petstore/store";
// @ts-types="@types/pg"
import { Pool } from "pg";
// @ts-expect-error: there are no types of this module.
import sasl from "pg/lib/crypto/sasl.js";
import { adviceOf } from "../lib/client/errors.ts";
import { StatementQueue } from "../lib/client/statement_queue.ts";
import { CANCEL } from "../lib/statements.ts";
import { checkOptions } from "../lib/options.ts";
import { openOnOwnPool } from "../lib/own_pool.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

/** What becomes of a statement. Only with the last answer, a cancellation hangs too. */
type Answer = "rows" | "fails" | "hangs" | "comes too late" | "hangs with its cancellation";

/** A pool of one connection at a time. Its members may be changed while it is used. */
class FakePool extends EventEmitter {
  readonly totalCount = 0;
  readonly options = { max: 1 };
  answer: Answer = "rows";
  /** How many milliseconds a statement takes. */
  duration = 0;
  failure = new Error("The connection was lost");
  /** What a new connection waits for. */
  opening = Promise.resolve();
  /** Whether `release()` throws, as that of a connection that was released before. */
  refusesReleases = false;
  /** The texts that the connections got. */
  sent: string[] = [];
  /** The numbers of the connections that came back, each with whether it is closed or kept. */
  released: string[] = [];
  connections = 0;
  ends = 0;

  async connect() {
    await this.opening;
    const number = ++this.connections;
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => {});
    const query = async ({ text }: { text: string }) => {
      this.sent.push(text);
      if (this.duration > 0) await new Promise((resolve) => setTimeout(resolve, this.duration));
      if (this.answer === "hangs" && text !== CANCEL) return await lost;
      if (this.answer === "hangs with its cancellation") return await lost;
      if (this.answer === "comes too late") await lost.catch(() => {});
      if (this.answer === "fails") throw this.failure;
      return { rows: [[text]] };
    };
    const release = (error?: Error) => {
      this.released.push(`${number} ${error ? "closed" : "kept"}`);
      lose(error);
      if (this.refusesReleases) {
        throw new Error("Release called on client which has already been released to the pool.");
      }
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

test("a statement that is given up while it waits for a connection is not sent later, also if the store is closed while another hangs", () =>
  withVirtualClock(async () => {
    const pool = new FakePool(), { promise, resolve: open } = Promise.withResolvers<void>();
    const db = new StatementQueue(pool, checkOptions({ timeoutMs: 1_000 }));
    pool.opening = promise;
    await assert.rejects(db.query("late"), /has not answered within 1000 ms/);
    open();
    await turn();
    assert.deepEqual(await db.query("next"), [["next"]]);
    pool.answer = "hangs";
    const sent = db.query("sent"), waiting = db.query("waiting");
    await turn();
    db.refuseWaiting();
    await assert.rejects(waiting, /The store has been closed/);
    pool.answer = "rows";
    await assert.rejects(sent, /has not answered within 1000 ms/);
    await turn();
    assert.deepEqual(pool.sent, ["next", "sent", CANCEL]);
  }));

test("an attempt to connect that fails refuses one statement that came before it, which may not be stored", () =>
  withVirtualClock(async ({ now }) => {
    const pool = new FakePool();
    const db = new StatementQueue(pool, checkOptions({ timeoutMs: 1_000 }));
    /** Lets the next attempt fail when the function is called. */
    const prepareFailure = () => {
      const { promise, reject } = Promise.withResolvers<void>();
      pool.opening = promise;
      return () => {
        pool.opening = Promise.resolve();
        reject(new Error("No connection"));
      };
    };
    const failFirst = prepareFailure();
    await assert.rejects(db.query("late", [], { deadline: now() + 5, whatItStores: "pet" }), {
      message: "PostgreSQL has not answered within 5 ms",
      mayBeStored: false,
    });
    const cameMeanwhile = db.query("came meanwhile");
    failFirst();
    assert.deepEqual(await cameMeanwhile, [["came meanwhile"]]);
    await turn();
    const failSecond = prepareFailure();
    const refused = db.query("refused", [], { whatItStores: "pet" }), other = db.query("other");
    failSecond();
    await assert.rejects(refused, { message: "PostgreSQL: No connection", mayBeStored: false });
    assert.deepEqual(await other, [["other"]]);
    assert.deepEqual(pool.sent, ["came meanwhile", "other"]);
  }));

test("a statement that is given up is cancelled before the next one is sent, also if as many wait as may", () =>
  withVirtualClock(async ({ now }) => {
    const pool = new FakePool();
    const db = new StatementQueue(pool, checkOptions({ timeoutMs: 1_000 }));
    pool.answer = "hangs";
    const givenUp = assert.rejects(db.query("given up", [], { deadline: now() + 5 }), /has not answered within 5 ms/);
    await turn();
    pool.answer = "rows";
    await Promise.all([givenUp, ...Array.from({ length: 10_000 }, () => db.query("waiting"))]);
    assert.deepEqual(pool.sent.slice(0, 3), ["given up", CANCEL, "waiting"]);
  }));

test("a statement that ends without an answer, as by the time limit of the app's pool, is cancelled, and a refused one is not", async () => {
  for (const [code, cancellations] of [[undefined, [CANCEL]], ["57014", []]] as const) {
    const pool = new FakePool(), db = new StatementQueue(pool, checkOptions({}));
    pool.answer = "fails";
    pool.failure = Object.assign(new Error("Query read timeout"), { code });
    await assert.rejects(db.query("read"), /Query read timeout/);
    await turn();
    assert.deepEqual(pool.sent, ["read", ...cancellations]);
  }
});

test("a cancellation that hangs too is not cancelled, so that a closed store sends nothing more", () =>
  withVirtualClock(async ({ pending }) => {
    const pool = new FakePool();
    pool.answer = "hangs with its cancellation";
    const db = new StatementQueue(pool, checkOptions({ timeoutMs: 1_000 }));
    const sent = db.query("sent");
    await turn();
    db.refuseWaiting();
    await assert.rejects(sent, /has not answered within 1000 ms/);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    assert.deepEqual([pool.sent, db.load.running, pending()], [["sent", CANCEL], 0, 0]);
  }));

test("a connection goes back to the pool after a moment, while other statements wait", () =>
  withVirtualClock(async () => {
    const pool = new FakePool();
    const db = new StatementQueue(pool, checkOptions({}));
    pool.duration = 60;
    await Promise.all(["first", "second", "third"].map((text) => db.query(text)));
    await turn();
    assert.deepEqual(pool.released, ["1 kept", "2 kept"]);
  }));

test("a connection whose statement fails or is given up is closed once, and runs no other statement", () =>
  withVirtualClock(async ({ pending }) => {
    for (const answer of ["fails", "hangs", "comes too late"] as const) {
      const pool = new FakePool();
      pool.answer = answer;
      const db = new StatementQueue(pool, checkOptions({ timeoutMs: 1_000 }));
      await assert.rejects(db.query("given"), StoreUnavailableError);
      pool.answer = "rows";
      assert.deepEqual(await db.query("next"), [["next"]]);
      await turn();
      assert.deepEqual(pool.released.filter((end) => end.startsWith("1")), ["1 closed"], answer);
      assert.deepEqual([db.load.running, pending()], [0, 0]);
    }
  }));

test("a connection that the pool refuses to take back, because the app has released it already, fails only its statement", async () => {
  const pool = new FakePool(), db = new StatementQueue(pool, checkOptions({}));
  pool.refusesReleases = true;
  pool.answer = "fails";
  await assert.rejects(db.query("create", [], { whatItStores: "pet" }), {
    name: "StoreUnavailableError",
    mayBeStored: true,
  });
  pool.answer = "rows";
  assert.deepEqual(await db.query("read"), [["read"]]);
  await turn();
  assert.deepEqual(db.load, { size: 1, running: 0, waiting: 0 });
});

test("a pool that rejects without a reason fails only the statement", async () => {
  const pool = new FakePool(), db = new StatementQueue(pool, checkOptions({}));
  pool.opening = Promise.reject();
  await assert.rejects(db.query("refused"), { name: "StoreUnavailableError" });
  pool.opening = Promise.resolve();
  assert.deepEqual(await db.query("read"), [["read"]]);
});

test("an error of a pool, as when it loses an idle connection, ends no process, and stores share the listener", () => {
  const pool = new FakePool();
  for (let stores = 0; stores < 2; stores++) new StatementQueue(pool, checkOptions({}));
  pool.emit("error", new Error("The connection was lost"));
  assert.equal(pool.listenerCount("error"), 1);
});

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
  const db = new StatementQueue(pool, checkOptions({}));
  pool.answer = "fails";
  for (const [what, error, mayBeStored] of ERRORS) {
    Object.assign(pool.failure, error);
    await assert.rejects(db.query("create", [], { whatItStores: "pet" }), { mayBeStored }, what);
  }
});

test("an error says whether a later attempt may succeed, so that a supervisor starts the server again only then", async () => {
  const pool = new FakePool(), db = new StatementQueue(pool, checkOptions({}));
  pool.answer = "fails";
  const temporary = ["53300", "55P03", "57P03", "57014", "40P01", "40001", "25P04", "08006"];
  for (const code of [...temporary, "28P01", "3D000", "42501", "55000", "25006"]) {
    Object.assign(pool.failure, { code });
    await assert.rejects(db.query("read"), { isTemporary: temporary.includes(code) }, code);
  }
});

test("a missing password is no failure that may pass, and the advice says where it belongs", async () => {
  const pool = new FakePool(), db = new StatementQueue(pool, checkOptions({}));
  pool.answer = "fails";
  // The driver throws this when PostgreSQL asks for a password.
  const session = { message: "SASLInitialResponse" };
  const thrown: Error = await sasl.continueSession(session, null, "").catch((error: Error) => error);
  pool.failure.message = thrown.message;
  const failure = await db.query("read").catch((error) => error);
  assert.equal(failure.isTemporary, false);
  assert.match(adviceOf(failure), /PGPASSWORD/);
});

test("a pool of its own is ended if its store cannot be opened, within its time limit", () =>
  withVirtualClock(async ({ now }) => {
    for (const answer of ["fails", "hangs"] as const) {
      const pool = Object.assign(new FakePool(), { answer }), begun = now();
      await assert.rejects(openOnOwnPool(pool as unknown as Pool, { timeoutMs: 1_000 }), { isTemporary: true });
      assert.deepEqual([pool.ends, now() - begun], [1, answer === "hangs" ? 3_000 : 0]);
    }
  }));

/** A connection that PostgreSQL makes ready and ends in one chunk. */
class EndedClient extends EventEmitter {
  /** How many listened to the error. Without one, Node would end the process. */
  static listeners = 0;

  connect(ready: () => void): void {
    setImmediate(() => {
      ready();
      EndedClient.listeners = this.listenerCount("error");
    });
  }

  query(): Promise<never> {
    return Promise.reject(new Error("PostgreSQL is stopped"));
  }

  end(ended: () => void): void {
    ended();
  }
}

test("a connection that is ended at once fails only its statement", async () => {
  const pool = new Pool({ Client: EndedClient } as object);
  const db = new StatementQueue(pool, checkOptions({}));
  await assert.rejects(db.query("SELECT 1"), StoreUnavailableError);
  assert.equal(EndedClient.listeners, 1);
  await turn();
  assert.deepEqual(db.load, { size: 10, running: 0, waiting: 0 });
  await pool.end();
});
