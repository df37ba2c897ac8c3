/** The order of events in commits on PostgreSQL: statements of two servers that overtake each other, conflict, fail or get lost. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type IdempotentRequest, StoreUnavailableError } from "@petstore/petstore/store";
import type { Database } from "../lib/client/database.ts";
import { createGroupCommit, type GroupCommit } from "../lib/commit.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";
import { whileReplaced } from "../../../tests/support/while_replaced.ts";

/** What becomes of a statement: a conflict and an outage come before its commit, and a lost one is committed. */
const FAULT = fc.constantFrom("none", "none", "none", "conflict", "outage", "lost");

/** What `add_pets` does, for one statement at a time. */
class FakeDatabase {
  readonly timeoutMs = 1_000_000;
  readonly #scheduler: fc.Scheduler;
  readonly #faults: string[];
  readonly #requests = new Map<string, { fingerprint: string; id: number }>();
  /** The names of the pets by id, from 1. */
  readonly names: string[] = [""];
  /** The greatest id that a server may acknowledge, because a standby has its pet. */
  confirmed = 0;

  constructor(scheduler: fc.Scheduler, faults: readonly string[]) {
    this.#scheduler = scheduler;
    this.#faults = [...faults];
  }

  async query(_: string, parameters: readonly string[]): Promise<string[][]> {
    await this.#scheduler.schedule(Promise.resolve(), "sent");
    const fault = this.#faults.shift();
    if (fault === "conflict" && parameters.length > 0) {
      throw new StoreUnavailableError(fault, { cause: { code: "40001" } });
    }
    if (fault === "outage") throw new StoreUnavailableError(fault);
    const before = this.names.length;
    const result = parameters.length === 0 ? "" : this.#add(parameters);
    const last = this.names.length - 1;
    const isCommitted = parameters.length === 0 || this.names.length > before;
    await this.#scheduler.schedule(Promise.resolve(), "answered");
    if (fault === "lost") throw new StoreUnavailableError(fault);
    // Only a commit waits for the standby.
    if (isCommitted) this.confirmed = Math.max(this.confirmed, last);
    return [[result]];
  }

  #add(parameters: readonly string[]): string {
    const [names, , , keys, fingerprints] = parameters.map((array) =>
      JSON.parse(`[${array.slice(1, -1)}]`) as string[]
    );
    const ids = names!.map((name, i) => {
      const key = keys![i], fingerprint = fingerprints![i] ?? "";
      const known = key === undefined ? undefined : this.#requests.get(key);
      if (known) return known.fingerprint === fingerprint ? -known.id : "";
      const id = this.names.push(name) - 1;
      if (key !== undefined) this.#requests.set(key, { fingerprint, id });
      return id;
    });
    return ids.join();
  }
}

/** A client with or without a key. Two fingerprints of one key are two pets, of which one is stored. */
interface Client {
  server: number;
  key: string | undefined;
  fingerprint: string;
}

const CLIENT: fc.Arbitrary<Client> = fc.record({
  server: fc.constantFrom(0, 1),
  key: fc.constantFrom(undefined, "a", "b", "c"),
  fingerprint: fc.constantFrom("f", "f", "g"),
});

/** Sends a create until it is answered; without a key, once. */
async function create(
  { server, key, fingerprint }: Client,
  name: string,
  servers: readonly GroupCommit[],
  db: FakeDatabase,
): Promise<void> {
  const request: IdempotentRequest | undefined = key === undefined ? undefined : { key, fingerprint, retentionMs: 1 };
  for (let tries = 0;; tries++) {
    try {
      const pet = { name, categoryId: 7n, status: "sold" } as const;
      const result = await servers[(server + tries) % servers.length]!.write(
        request ? { kind: "createOnce", pet, request } : { kind: "create", pet },
      );
      if (result.outcome === "probed") throw new Error("A create was taken for a probe");
      if (result.outcome === "conflict") {
        assert.ok(
          db.names.some((stored) => stored.startsWith(`${key}.`) && !stored.startsWith(`${key}.${fingerprint}.`)),
        );
        return;
      }
      const stored = db.names[Number(result.id)];
      if (result.outcome === "created") assert.equal(stored, name);
      else assert.ok(stored?.startsWith(`${key}.${fingerprint}.`), `${stored} was the replay of ${name}`);
      assert.ok(Number(result.id) <= db.confirmed, `${result.id} was acknowledged before a standby had it`);
      return;
    } catch (error) {
      assert.ok(error instanceof StoreUnavailableError, String(error));
      assert.notEqual(error.message, "conflict", "a conflict is for the store to repeat");
      if (key === undefined) return;
    }
  }
}

test("whatever statements of two servers conflict, fail or get lost, each key adds one pet, and no pet is acknowledged early", async () => {
  // Retries after a conflict come at once.
  await whileReplaced(Math, { random: () => 0 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(CLIENT, { minLength: 1, maxLength: 12 }),
        fc.array(FAULT, { maxLength: 12 }),
        async (scheduler, clients, faults) => {
          const db = new FakeDatabase(scheduler, faults);
          const servers = [0, 1].map(() => createGroupCommit(db as unknown as Database, "add"));
          let isDone = false;
          const all = Promise.all(
            clients.map((client, i) => create(client, `${client.key}.${client.fingerprint}.${i}`, servers, db)),
          ).finally(() => isDone = true);
          // Its failure is told below.
          all.catch(() => {});
          while (!isDone) {
            if (scheduler.count() > 0) await scheduler.waitOne();
            await new Promise((resolve) => setImmediate(resolve));
          }
          await all;
          for (const key of ["a", "b", "c"]) {
            const stored = db.names.filter((name) => name.startsWith(`${key}.`)).length;
            assert.equal(stored, clients.some((client) => client.key === key) ? 1 : 0, key);
          }
        },
      ),
      { numRuns: 600 },
    ));
});

/** A database on which each statement does what the test says, and the names of the pets of each statement. */
function createDatabase(timeoutMs: number) {
  const statements: string[][] = [];
  const state = { before: (): Promise<void> => Promise.resolve() };
  const query = async (_: string, [names]: readonly string[]) => {
    const given = JSON.parse(`[${names!.slice(1, -1)}]`) as string[];
    statements.push(given);
    await state.before();
    return [[given.map((_, i) => String(i + 1)).join()]];
  };
  return { db: { query, timeoutMs } as unknown as Database, state, statements };
}

const petOf = (name: string) => ({ kind: "create", pet: { name, categoryId: 7n, status: "sold" } }) as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("creates that have waited too long for others are refused and not sent, and those that came later are", () =>
  withStoppedClock(async (pass) => {
    const { db, state, statements } = createDatabase(1_000);
    const { write } = createGroupCommit(db, "add");
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    state.before = () => gate;
    const first = write(petOf("first"));
    await turn();
    await turn();
    const late = write(petOf("late"));
    pass(501);
    const next = write(petOf("next"));
    release();
    assert.deepEqual(await first, { outcome: "created", id: 1n });
    await assert.rejects(late, /^StoreUnavailableError: PostgreSQL did not finish the earlier creates in time$/);
    assert.deepEqual(await next, { outcome: "created", id: 1n });
    assert.deepEqual(statements, [["first"], ["next"]]);
  }));

test("a create that conflicts is sent again until its time limit and not longer, and the next one is sent", () =>
  withVirtualClock(async ({ now }) => {
    const { db, state, statements } = createDatabase(1_000);
    const { write } = createGroupCommit(db, "add");
    state.before = () => Promise.reject(new StoreUnavailableError("conflict", { cause: { code: "40001" } }));
    for (const begun of [0, 1_000]) {
      await new Promise<void>((resolve) => setTimeout(resolve, begun - now()));
      const last = statements.length;
      await assert.rejects(write(petOf("first")), /Other transactions conflicted with each attempt/);
      // The longest pause is of twenty milliseconds.
      assert.ok(now() > begun + 970 && now() < begun + 1_000, `It ended after ${now() - begun} ms`);
      assert.ok(statements.length - last >= 970 / 20);
    }
    state.before = () => Promise.resolve();
    assert.deepEqual(await write(petOf("next")), { outcome: "created", id: 1n });
  }));
