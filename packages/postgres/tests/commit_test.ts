import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../lib/client/database.ts";
import { StoreUnavailableError } from "@petstore/petstore/store";
import { addPets, createGroupCommit } from "../lib/commit.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("creates that have waited too long for others are refused and not sent, and the time of the others counts from when they came", () =>
  withStoppedClock(async (pass) => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    /** The names of each statement, and how long it may take. */
    const statements: [names: string, timeLimit: number][] = [];
    const query = async (_: string, [names = ""]: string[], { deadline }: { deadline: number }) => {
      statements.push([names, deadline - performance.now()]);
      await gate;
      return [["1"]];
    };
    const { write } = createGroupCommit({ query, timeoutMs: 1_000 } as unknown as Database, "add");
    const create = (name: string) => write({ kind: "create", pet: { name, categoryId: 7n, status: "sold" } });
    const first = create("first");
    await turn();
    await turn();
    const late = create("late");
    pass(501);
    const next = create("next");
    pass(400);
    release();
    assert.deepEqual(await first, { outcome: "created", id: 1n });
    await assert.rejects(late, /^StoreUnavailableError: PostgreSQL did not finish the earlier creates in time$/);
    assert.deepEqual(await next, { outcome: "created", id: 1n });
    assert.deepEqual(statements, [['{"first"}', 1_000], ['{"next"}', 1_000 - 400]]);
  }));

/** The codes of errors, and how often a statement is sent if its first attempt ends in one. */
const ATTEMPTS: [what: string, code: string | undefined, attempts: number][] = [
  ["a serialization failure", "40001", 2],
  ["a deadlock", "40P01", 2],
  ["the loss of the connection", undefined, 1],
  ["the loss of a pooler's own connection", "08006", 1],
  ["an outcome that PostgreSQL does not know", "40003", 1],
  ["the stop of PostgreSQL", "57P01", 1],
];

for (const [what, code, attempts] of ATTEMPTS) {
  test(`a create is sent ${attempts === 1 ? "once" : "again"} if it ends in ${what}`, () =>
    withVirtualClock(async ({ now }) => {
      let sent = 0;
      const failure = new StoreUnavailableError("It failed", { cause: Object.assign(new Error(), { code }) });
      const query = () => ++sent > 1 ? Promise.resolve([["1"]]) : Promise.reject(failure);
      const added = addPets({ query } as unknown as Database, "add", [], now() + 1_000);
      if (attempts === 1) await assert.rejects(added, /It failed/);
      else assert.equal(await added, "1");
      assert.equal(sent, attempts);
    }));
}

test("a create is uncertain if PostgreSQL gives more or fewer ids than there are creates", async () => {
  for (const ids of ["1", "1,2,3"]) {
    const query = () => Promise.resolve([[ids]]);
    const { write } = createGroupCommit({ query, timeoutMs: 1_000 } as unknown as Database, "add");
    const pet = { name: "Rex", categoryId: 7n, status: "sold" } as const;
    for (const created of await Promise.allSettled([1, 2].map(() => write({ kind: "create", pet })))) {
      assert.ok(created.status === "rejected" && created.reason.mayBeStored, ids);
    }
  }
});
