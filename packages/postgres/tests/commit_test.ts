import assert from "node:assert/strict";
import type { StatementQueue } from "../lib/client/statement_queue.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { addPets } from "../lib/add_pets.ts";
import { GroupCommit } from "../lib/commit.ts";
import { PET, request, test } from "./support.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";
import { until } from "../../../tests/support/until.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The rows of new pets. */
function created(...ids: string[]): string[][] {
  return ids.map((id) => ["created", id]);
}

/** A database whose statements are answered by `query`. */
function fakeQueue(query: (...args: never[]) => Promise<string[][]>): StatementQueue {
  return { query, timeoutMs: 1_000, schema: "petstore" } as unknown as StatementQueue;
}

test("creates that have waited too long for others are refused and not sent, and the time of the others counts from when they came", () =>
  withStoppedClock(async (pass) => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    /** The names of each statement, and how long it may take. */
    const statements: [names: string, timeLimit: number][] = [];
    const commits = new GroupCommit(
      fakeQueue(async (_: string, [names = ""]: string[], options: { deadline: number; whatItStores: string }) => {
        assert.equal(options.whatItStores, "pet");
        statements.push([names, options.deadline - performance.now()]);
        await gate;
        return names.includes(",") ? created("1", "2") : created("1");
      }),
    );
    const create = (name: string) => commits.write({ kind: "create", pet: { name, categoryId: 7n, status: "sold" } });
    const first = create("first");
    await turn();
    await turn();
    const late = create("late");
    pass(501);
    const next = create("next");
    pass(300);
    const last = create("last");
    pass(100);
    release();
    assert.deepEqual(await first, { outcome: "created", id: 1n });
    await assert.rejects(late, /^StoreUnavailableError: PostgreSQL did not finish the earlier creates in time$/);
    assert.deepEqual(await Promise.all([next, last]), [1n, 2n].map((id) => ({ outcome: "created", id })));
    assert.deepEqual(statements, [['{"first"}', 1_000], ['{"next","last"}', 1_000 - 400]]);
  }));

test("expired requests are deleted after the first create with a key, and again after 500", async () => {
  const texts: string[] = [];
  const commits = new GroupCommit(fakeQueue((text: string) => Promise.resolve(created(String(texts.push(text))))));
  for (let i = 0; i < 501; i++) await commits.write({ kind: "createOnce", pet: PET, request: request(`${i}`) });
  assert.equal(texts.length, 501 + 2);
});

test.store("a store deletes expired requests after the first one that it remembers", async (store, url, schema) => {
  const requests = `"${schema}".requests`;
  await runSql(url, `INSERT INTO ${requests} SELECT 'old' || i, 'f', i, i FROM generate_series(1, 1500) AS i`);
  const once = request("new");
  await store.createOnce!(PET, once);
  const left = async () => (await runSql(url, `SELECT key FROM ${requests}`)).flat();
  await until("one request is left", async () => (await left()).length === 1);
  assert.deepEqual(await left(), [once.key]);
});

/** The codes of errors, and how often a statement is sent if its first attempt ends in one. */
const ATTEMPTS: [what: string, code: string | undefined, attempts: number][] = [
  ["a deadlock", "40P01", 2],
  ["a serialization failure", "40001", 2],
  ["a unique violation", "23505", 2],
  ["the loss of the connection", undefined, 1],
];

for (const [what, code, attempts] of ATTEMPTS) {
  test(`a create is sent ${attempts === 1 ? "once" : "again"} if it ends in ${what}`, () =>
    withVirtualClock(async ({ now }) => {
      let sent = 0;
      const failure = new StoreUnavailableError("It failed", { cause: Object.assign(new Error(), { code }) });
      const db = fakeQueue(() => ++sent > 1 ? Promise.resolve(created("1")) : Promise.reject(failure));
      const added = addPets(db, [PET], [], now() + 1_000);
      if (attempts === 1) await assert.rejects(added, /It failed/);
      else assert.deepEqual(await added, [{ outcome: "created", id: 1n }]);
      assert.equal(sent, attempts);
    }));
}
