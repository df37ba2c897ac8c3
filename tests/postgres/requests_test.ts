/** What PostgreSQL remembers of requests that may be sent again: by whose clock, at which cost, and how it is forgotten. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPostgresStore, postgresSchema } from "../../lib/stores/postgres/postgres_store.ts";
import { statementsFor, textArray } from "../../lib/stores/postgres/statements.ts";
import { createPetstore, type PetStore } from "../../mod.ts";
import { DRIVERS, runSql, whyNoPostgres, withSchema } from "../support/postgres/postgres.ts";

const skip = whyNoPostgres();
const why = skip ? ` (skipped: ${skip})` : "";
const PET = { name: "Rex", categoryId: 7n, status: "sold" } as const;
const DAY = 86_400_000;

function request(key: string, retentionMs = DAY) {
  return { key: key.padEnd(22, "k"), fingerprint: "f".repeat(22), retentionMs };
}

/** Runs with a clock that is ahead. */
async function ahead<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => now() + milliseconds;
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}

function withStore(use: (store: PetStore, url: string, schema: string) => Promise<void>): Promise<void> {
  return withSchema((url, schema) =>
    DRIVERS[1]!.use(url, async (client) => {
      const store = await createPostgresStore(client, { schema });
      await use(store, url, schema);
      await store.close();
    })
  );
}

/** So many remembered requests that end so many milliseconds from now, in no order: each lies in another block. */
function remember(schema: string, name: string, count: number, ends: number): string {
  return `INSERT INTO "${schema}".requests SELECT rpad('${name}' || i, 22, 'k'), '${"f".repeat(22)}', i,
    extract(epoch FROM clock_timestamp()) * 1000 + ${ends} + i FROM generate_series(1, ${count}) AS i ORDER BY md5(i::text)`;
}

async function countRequests(url: string, schema: string): Promise<number> {
  return Number((await runSql(url, `SELECT count(*) FROM "${schema}".requests`))[0]?.[0]);
}

test(
  `a server whose clock is days ahead makes no second pet, and none forgets early for it${why}`,
  { skip },
  () =>
    withStore(async (store, url, schema) => {
      const { handle } = createPetstore({ store, keys: ["k"] });
      const headers = { authorization: "Bearer k", "content-type": "application/json", "idempotency-key": "4711" };
      const body = JSON.stringify({ name: "Rex", categoryId: 7 });
      const send = () => handle(new Request("http://localhost/v1/pets", { method: "POST", headers, body }));
      const texts: string[] = [];
      for (const days of [0, 3, -3, 0]) {
        const answer = await ahead(days * DAY, send);
        texts.push(await answer.text());
        assert.equal(answer.headers.get("idempotency-replayed"), texts.length === 1 ? null : "true");
      }
      assert.equal(new Set(texts).size, 1);
      const [[left] = []] = await runSql(
        url,
        `SELECT expires_at - extract(epoch FROM clock_timestamp()) * 1000 FROM "${schema}".requests`,
      );
      assert.ok(Number(left) <= DAY && Number(left) > DAY - 600_000, `${left} ms are left`);
    }),
);

test(
  `what has expired is forgotten while new requests come, and nothing else${why}`,
  { skip },
  () =>
    withStore(async (store, url, schema) => {
      await runSql(url, remember(schema, "old", 2500, -DAY));
      let sent = 0;
      for (const guard = AbortSignal.timeout(30_000); await countRequests(url, schema) > sent;) {
        assert.ok(!guard.aborted, "What has expired is still there");
        await store.createOnce!(PET, request(`new${++sent}`));
      }
      // What is remembered is remembered.
      assert.deepEqual(await store.createOnce!(PET, request("new1")), { outcome: "replayed", id: 1n });
    }),
);

/** What PostgreSQL may know of the table when many requests come. */
const KNOWN = {
  nothing: () => [],
  "no request": (schema: string) => [`VACUUM ANALYZE "${schema}".requests`],
  "one request": (schema: string) => [remember(schema, "old", 1, -DAY), `ANALYZE "${schema}".requests`],
  "requests that have all expired": (schema: string) => [
    remember(schema, "old", 8000, -DAY),
    `ANALYZE "${schema}".requests`,
  ],
  "rows of which none is left": (schema: string) => [
    remember(schema, "old", 8000, -DAY),
    `DELETE FROM "${schema}".requests`,
    // As it counts while a backup keeps the rows from being cleared away.
    `UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE oid = '"${schema}".requests'::regclass`,
  ],
};

for (const [state, prepare] of Object.entries(KNOWN)) {
  test(
    `a batch of keys reads no row but theirs, and to forget none but what it deletes, where PostgreSQL knows of ${state}${why}`,
    { skip },
    () =>
      withSchema(async (url, schema) => {
        await runSql(url, postgresSchema(schema));
        for (const sql of prepare(schema)) await runSql(url, sql);
        const keys = (names: string[]) => textArray(names.map((name) => name.padEnd(22, "k")));
        const add = (names: string[]) =>
          `SELECT "${schema}".add_pets(array_fill('Rex'::text, ARRAY[${names.length}]),
             array_fill(7::bigint, ARRAY[${names.length}]), array_fill(1::smallint, ARRAY[${names.length}]),
             '${keys(names)}', array_fill('${"f".repeat(22)}'::text, ARRAY[${names.length}]),
             array_fill(${DAY}::bigint, ARRAY[${names.length}]))`;
        const seen = `SELECT 'read', seq_tup_read, idx_tup_fetch FROM pg_stat_xact_user_tables
          WHERE relid = '"${schema}".requests'::regclass`;
        const warm = Array.from({ length: 8 }, (_, i) => add([`warm${i}`])).join(";");
        const batch = Array.from({ length: 512 }, (_, i) => i % 2 === 0 ? `known${i + 1}` : `new${i}`);
        // On one connection, whose function may have kept plans from before.
        const rows = await runSql(
          url,
          `${warm}; ${remember(schema, "known", 10_000, DAY)}; ${remember(schema, "gone", 2000, -DAY)};
           ${seen}; ${add(batch)}; ${seen}; ${statementsFor(schema).forget.replace("$1", "100")}; ${seen}`,
        );
        // Of several statements, each row is one text.
        const counted = rows.flat().filter((row) => row?.startsWith("read,")).map((row) => row!.split(",").map(Number));
        const [before = [], between = [], after = []] = counted;
        assert.equal(after[1], before[1], "There was a scan");
        const fetched = between[2]! - before[2]!, forgotten = after[2]! - between[2]!;
        assert.ok(fetched <= 512, `${fetched} rows were read for 512 keys`);
        assert.ok(forgotten > 0 && forgotten <= 300, `${forgotten} rows were read to forget 100`);
      }),
  );
}

/** How many blocks a statement has looked at. */
async function blocksOf(url: string, statement: string): Promise<number> {
  const lines = await runSql(url, `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${statement}`);
  const [, hit = "0", read = "0"] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(lines.flat().join("\n")) ??
    [];
  return Number(hit) + Number(read);
}

/** How often it is forgotten while something looks at the past. */
const TIMES = 25;

/** The blocks of the second time and of the last, when a statement is run again and again. */
async function measure(url: string, statement: string): Promise<{ second: number; last: number; all: string }> {
  const blocks: number[] = [];
  for (let i = 0; i < TIMES; i++) blocks.push(await blocksOf(url, statement));
  return { second: blocks[1] ?? 0, last: blocks.at(-1) ?? 0, all: blocks.join() };
}

/** A connection that is kept. */
interface PastClient {
  query(query: { text: string }): Promise<unknown>;
  /** Gives it back; `true` closes it. */
  release(isOver: boolean): void;
}

/** How version 1 forgot, at each create. */
function forgetFromTheStart(schema: string): string {
  return `DELETE FROM "${schema}".requests WHERE key = ANY (ARRAY(SELECT key FROM "${schema}".requests
    WHERE expires_at <= extract(epoch FROM clock_timestamp()) * 1000 ORDER BY expires_at LIMIT 200))`;
}

test(
  `while something looks at the past, to forget does not come to cost more and more, as it does from the start${why}`,
  { skip },
  () =>
    withSchema(async (url, schema) => {
      await runSql(url, postgresSchema(schema));
      await runSql(url, remember(schema, "old", 12_000, -DAY));
      await runSql(url, `ANALYZE "${schema}".requests`);
      await DRIVERS[0]!.use(url, async (pool) => {
        // A backup, as far as this goes.
        const past = await (pool as unknown as { connect(): Promise<PastClient> }).connect();
        try {
          await past.query({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ" });
          await past.query({ text: `SELECT count(*) FROM "${schema}".requests` });
          const create = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{k}', '{f}', '{1}')`;
          const before = await blocksOf(url, create);
          const marked = await measure(url, statementsFor(schema).forget.replace("$1", "200"));
          assert.equal(await countRequests(url, schema), 12_001 - TIMES * 200);
          assert.ok(marked.last < 1.5 * marked.second, marked.all);
          assert.ok(await blocksOf(url, create) < before + 20);
          const unmarked = await measure(url, forgetFromTheStart(schema));
          assert.ok(unmarked.last > 1.5 * unmarked.second, unmarked.all);
        } finally {
          past.release(true);
        }
      });
    }),
);
