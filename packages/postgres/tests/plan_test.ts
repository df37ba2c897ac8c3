/** What PostgreSQL reads for a page, a pet, a create, a batch of keys and a deletion, whatever its statistics say. */

import assert from "node:assert/strict";
import { createPostgresStore } from "../mod.ts";
import { readPostgresSetting } from "../server.ts";
import { textArray } from "../lib/add_pets.ts";
import { readStatements } from "../lib/statements.ts";
import { connect, runSql } from "../../../tests/support/postgres/postgres.ts";
import { DAY, forgetCall, PET, test } from "./support.ts";

/** Inserts pets from an id on. Each thousandth is pending. */
function fill(first: number, count: number): string {
  return `INSERT INTO @.pets SELECT i, 7, (i % 1000 = 0)::integer, 'R' FROM generate_series(${first}, ${
    first + count - 1
  }) AS i`;
}

/** Inserts requests that expire in `ends` milliseconds, in random order, so that each lies in another block. */
function remember(name: string, count: number, ends: number): string {
  return `INSERT INTO @.requests SELECT rpad('${name}' || i, 22, 'k'), '${"f".repeat(22)}', i,
    extract(epoch FROM clock_timestamp()) * 1000 + ${ends} + i FROM generate_series(1, ${count}) AS i ORDER BY md5(i::text)`;
}

/** The statistics that PostgreSQL may have when many rows arrive: none, or outdated ones. `@` stands for the schema. */
const STATISTICS: [state: string, sql: string[]][] = [
  ["no statistics", []],
  ["statistics of empty tables", ["VACUUM ANALYZE @.pets", "VACUUM ANALYZE @.requests"]],
  ["statistics of other rows", [
    fill(1, 4000),
    "UPDATE @.pets SET status = 1",
    "ANALYZE @.pets",
    remember("old", 8000, -DAY),
    "DELETE FROM @.requests",
    // PostgreSQL counts so while a backup keeps the rows from being removed.
    "UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE oid = '@.requests'::regclass",
  ]],
];

/** A call of `add_pets` with these keys. */
function addCall(keys: string[]): string {
  const all = (value: string) => `array_fill(${value}, ARRAY[${keys.length}])`;
  return `SELECT @.add_pets(${all("'Rex'::text")}, ${all("7::bigint")}, ${all("1::smallint")},
    '${textArray(keys.map((key) => key.padEnd(22, "k")))}', ${all(`'${"f".repeat(22)}'::text`)}, ${
    all(`${DAY}::bigint`)
  })`;
}

/**
 * What each step reads of a table, on one connection after `prepare`: rows by scans and by indexes,
 * and entries of indexes.
 */
async function countReads(url: string, schema: string, table: string, prepare: string, ...steps: string[]) {
  const seen = `SELECT 'read', seq_tup_read, idx_tup_fetch,
      (SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) FROM pg_index WHERE indrelid = relid)
    FROM pg_stat_xact_user_tables WHERE relid = '@.${table}'::regclass`;
  const sql = [prepare, seen, ...steps.flatMap((step) => [step, seen])].join(";");
  const rows = await runSql(url, sql.replaceAll("@", `"${schema}"`));
  const counts = rows.filter(([what]) => what === "read").map((row) => row.map(Number));
  return steps.map((_, i) => {
    const [, scanned, fetched, entries] = counts[i + 1]!.map((count, column) => count - counts[i]![column]!);
    return { scanned: scanned!, fetched: fetched!, entries: entries! };
  });
}

for (const [state, prepare] of STATISTICS) {
  test.tables(`each statement reads by an index, and only the rows it needs, with ${state}`, async (url, schema) => {
    const run = (sql: string) => runSql(url, sql.replaceAll("@", `"${schema}"`));
    for (const sql of prepare) await run(sql);
    await run(`${fill(5000, 60_000)}; SELECT setval('@.pet_ids', 64999)`);
    // At the beginning, in the middle and near the end. A page of 20 reads one row more.
    const reads = [0, 32_500, 64_990].flatMap((after) => [
      `EXECUTE a(${after}, 21)`,
      `EXECUTE s(${after}, 21, 1)`,
      `EXECUTE p(${after})`,
    ]);
    const { all, ofStatus, pet } = readStatements(schema);
    for (const mode of ["force_generic_plan", "force_custom_plan"]) {
      const plans = `SET plan_cache_mode = ${mode}; PREPARE a AS ${all}; PREPARE s AS ${ofStatus}; PREPARE p AS ${pet}`;
      for (const { scanned, fetched, entries } of await countReads(url, schema, "pets", plans, ...reads)) {
        // The planner looks at a few rows too, and entries of deleted rows are passed over.
        assert.ok(scanned === 0 && fetched <= 30 && entries < 100, `${mode}: ${[scanned, fetched, entries]}`);
      }
    }
    // The function may have kept plans.
    const warm = Array.from({ length: 8 }, (_, i) => addCall([`warm${i}`]));
    const before = [...warm, remember("known", 10_000, DAY), remember("gone", 2000, -DAY)].join(";");
    const batch = Array.from({ length: 512 }, (_, i) => i % 2 === 0 ? `known${i + 1}` : `new${i}`);
    const forget = forgetCall(schema, 100), again = Array(10).fill(forget).join(";");
    const steps = [addCall(batch), forget, forget, again];
    const [added, first, second, last] = await countReads(url, schema, "requests", before, ...steps);
    assert.deepEqual([added?.scanned, first?.scanned], [0, 0]);
    assert.ok(added!.fetched <= 512, `${added!.fetched} rows were read for 512 keys`);
    assert.ok(first!.fetched > 0 && first!.fetched <= 300, `${first!.fetched} rows were read to delete 100`);
    // Deleted rows stay during a transaction, and are not passed over again and again.
    assert.ok(last!.entries < 15 * second!.entries, JSON.stringify([first, second, last]));
  });
}

test.tables("a plan that was made for few pets is not used after an import", async (url, schema) => {
  await runSql(url, `VACUUM ANALYZE "${schema}".pets`);
  const pool = connect(url, "test", 1);
  const store = await createPostgresStore(pool, { schema });
  const plan = async () => {
    // After five executions, PostgreSQL keeps a plan.
    for (let i = 0; i < 8; i++) await store.get(1n);
    // Other statements may be prepared too: the store also deletes old requests.
    const { rows: [{ name }] } = await pool.query(
      "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%.pets WHERE%'",
    );
    const { rows } = await pool.query(`EXPLAIN (COSTS OFF) EXECUTE "${name}"('1')`);
    return JSON.stringify(rows);
  };
  assert.match(await plan(), /Seq Scan/);
  const { signal } = new AbortController();
  await readPostgresSetting(`${url}?schema=${schema}`).import(Array(12_000).fill(PET), signal);
  assert.match(await plan(), /Index Scan/);
  await store.close();
  await assert.rejects(async () => await store.get(1n), /has been closed/);
  await pool.end();
});
