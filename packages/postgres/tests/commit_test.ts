/** Commits on PostgreSQL whose statements conflict, fail or are late, and what is answered when. tools/reliability/histories loses them at random. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailableError } from "@petstore/petstore/store";
import type { Database } from "../lib/client/database.ts";
import { createGroupCommit } from "../lib/commit.ts";
import { withStoppedClock } from "../../../tests/support/stopped_clock.ts";
import { withVirtualClock } from "../../../tests/support/virtual_clock.ts";

/** What `add_pets` says of a pet: its id, the negative id of an earlier one, or "" for a conflict. */
type IdOf = (name: string, i: number) => string;

/** Commits on a database on which each statement does what the test says, with a time limit of a second. */
function createCommits(idOf: IdOf = (_, i) => String(i + 1)) {
  /** The names of the pets of each statement, and its deadline. */
  const statements: string[][] = [], deadlines: number[] = [];
  const state = { before: () => Promise.resolve() };
  const query = async (_: string, [names = "{}"]: readonly string[], { deadline }: { deadline: number }) => {
    const given = JSON.parse(`[${names.slice(1, -1)}]`) as string[];
    statements.push(given);
    deadlines.push(deadline);
    await state.before();
    return [[given.map(idOf).join()]];
  };
  const { write } = createGroupCommit({ query, timeoutMs: 1_000 } as unknown as Database, "add");
  return { write, state, statements, deadlines };
}

const petOf = (name: string) => ({ kind: "create", pet: { name, categoryId: 7n, status: "sold" } }) as const;
function onceOf(key: string, name: string) {
  return { ...petOf(name), kind: "createOnce", request: { key, fingerprint: "f", retentionMs: 1 } } as const;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("creates that have waited too long for others are refused and not sent, and the time of the others counts from when they came", () =>
  withStoppedClock(async (pass) => {
    const { write, state, statements, deadlines } = createCommits();
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    state.before = () => gate;
    const first = write(petOf("first"));
    await turn();
    await turn();
    const late = write(petOf("late"));
    pass(501);
    const next = write(petOf("next"));
    pass(400);
    release();
    assert.deepEqual(await first, { outcome: "created", id: 1n });
    await assert.rejects(late, /^StoreUnavailableError: PostgreSQL did not finish the earlier creates in time$/);
    assert.deepEqual(await next, { outcome: "created", id: 1n });
    assert.deepEqual(statements, [["first"], ["next"]]);
    assert.deepEqual(deadlines.map((deadline) => deadline - performance.now()), [1_000 - 901, 1_000 - 400]);
  }));

test("a create that may have been stored is not sent again, since that could store a second pet", async () => {
  const { write, state, statements } = createCommits();
  const cause = new Error("Connection terminated");
  state.before = () => Promise.reject(new StoreUnavailableError("lost", { cause, mayBeStored: true }));
  await assert.rejects(write(petOf("rex")), { name: "StoreUnavailableError", mayBeStored: true });
  assert.deepEqual(statements, [["rex"]]);
});

test("a create that conflicts is sent again until its time limit and not longer, and the next one is sent", () =>
  withVirtualClock(async ({ now }) => {
    const { write, state, statements } = createCommits();
    state.before = () => Promise.reject(new StoreUnavailableError("conflict", { cause: { code: "40001" } }));
    await assert.rejects(write(petOf("first")), /Other transactions conflicted with each attempt/);
    // The longest pause is of twenty milliseconds.
    assert.ok(now() > 970 && now() < 1_000, `It ended after ${now()} ms`);
    assert.ok(statements.length >= 970 / 20);
    state.before = () => Promise.resolve();
    assert.deepEqual(await write(petOf("next")), { outcome: "created", id: 1n });
  }));

test("creates with one key are sent one after the other, and with others in a statement those with a key come first", async () => {
  const { write, statements } = createCommits((name, i) => {
    if (name === "other fingerprint") return "";
    return name === "a" && statements.length > 1 ? "-7" : String(i + 7);
  });
  const writes = [
    petOf("plain"),
    onceOf("a", "a"),
    onceOf("a", "a"),
    onceOf("b", "b"),
    onceOf("b", "other fingerprint"),
  ];
  assert.deepEqual(await Promise.all(writes.map(write)), [
    { outcome: "created", id: 9n },
    { outcome: "created", id: 7n },
    { outcome: "replayed", id: 7n },
    { outcome: "created", id: 8n },
    { outcome: "conflict" },
  ]);
  assert.deepEqual(statements, [["a", "b", "plain"], ["a", "other fingerprint"]]);
});
