import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "../lib/client/database.ts";
import { createGroupCommit } from "../lib/commit.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";

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
