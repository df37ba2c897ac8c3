import assert from "node:assert/strict";
// @ts-types="@types/pg"
import { Client } from "pg";
import { postgresSchema } from "../mod.ts";
import { textArray } from "../lib/client/arrays.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { countReads, DAY, forgetCall, test } from "./support.ts";

/** Inserts requests that expire in `ends` milliseconds, in random order, so that each lies in another block. */
function remember(schema: string, name: string, count: number, ends: number): string {
  return `INSERT INTO "${schema}".requests SELECT rpad('${name}' || i, 22, 'k'), '${"f".repeat(22)}', i,
    extract(epoch FROM clock_timestamp()) * 1000 + ${ends} + i FROM generate_series(1, ${count}) AS i ORDER BY md5(i::text)`;
}

async function countRequests(url: string, schema: string): Promise<number> {
  return Number((await runSql(url, `SELECT count(*) FROM "${schema}".requests`))[0]?.[0]);
}

/** The statistics that PostgreSQL may have when many requests arrive: none, or outdated ones. */
const STATISTICS = {
  "no statistics": () => [],
  "statistics of no request": (schema: string) => [`VACUUM ANALYZE "${schema}".requests`],
  "statistics of deleted rows": (schema: string) => [
    remember(schema, "old", 8000, -DAY),
    `DELETE FROM "${schema}".requests`,
    // PostgreSQL counts so while a backup keeps the rows from being removed.
    `UPDATE pg_class SET reltuples = 0, relpages = 100 WHERE oid = '"${schema}".requests'::regclass`,
  ],
};

function addCall(schema: string, names: string[]): string {
  const all = (value: string) => `array_fill(${value}, ARRAY[${names.length}])`;
  return `SELECT "${schema}".add_pets(${all("'Rex'::text")}, ${all("7::bigint")}, ${all("1::smallint")},
    '${textArray(names.map((name) => name.padEnd(22, "k")))}', ${all(`'${"f".repeat(22)}'::text`)},
    ${all(`${DAY}::bigint`)})`;
}

for (const [state, prepare] of Object.entries(STATISTICS)) {
  test.schema(`a batch of keys and a deletion read only the rows they need, with ${state}`, async (url, schema) => {
    await runSql(url, postgresSchema(schema));
    for (const sql of prepare(schema)) await runSql(url, sql);
    const warm = Array.from({ length: 8 }, (_, i) => addCall(schema, [`warm${i}`])).join(";");
    const batch = Array.from({ length: 512 }, (_, i) => i % 2 === 0 ? `known${i + 1}` : `new${i}`);
    // The function may have kept plans.
    const before = [warm, remember(schema, "known", 10_000, DAY), remember(schema, "gone", 2000, -DAY)].join(";");
    const calls = [addCall(schema, batch), forgetCall(schema, 100)];
    const [added, forgotten] = await countReads(url, `"${schema}".requests`, before, ...calls);
    assert.deepEqual([added?.scanned, forgotten?.scanned], [0, 0]);
    assert.ok(added!.fetched <= 512, `${added!.fetched} rows were read for 512 keys`);
    assert.ok(
      forgotten!.fetched > 0 && forgotten!.fetched <= 300,
      `${forgotten!.fetched} rows were read to delete 100`,
    );
  });
}

async function blocksOf(url: string, statement: string): Promise<number> {
  const lines = await runSql(url, `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ${statement}`);
  const [, hit = "0", read = "0"] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(lines.flat().join("\n")) ??
    [];
  return Number(hit) + Number(read);
}

const TIMES = 25;

test.schema("during a long transaction, the cost of deleting requests does not grow", async (url, schema) => {
  await runSql(url, postgresSchema(schema));
  await runSql(url, remember(schema, "old", 12_000, -DAY));
  await runSql(url, `ANALYZE "${schema}".requests`);
  const long = new Client({ connectionString: url });
  await long.connect();
  try {
    // It keeps deleted rows, as a backup does.
    await long.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await long.query(`SELECT count(*) FROM "${schema}".requests`);
    const create = `SELECT "${schema}".add_pets('{Rex}', '{7}', '{1}', '{k}', '{f}', '{1}')`;
    const before = await blocksOf(url, create);
    const blocks: number[] = [];
    for (let i = 0; i < TIMES; i++) blocks.push(await blocksOf(url, forgetCall(schema, 200)));
    assert.equal(await countRequests(url, schema), 12_001 - TIMES * 200);
    assert.ok(blocks.at(-1)! < 1.5 * blocks[1]!, blocks.join());
    assert.ok(await blocksOf(url, create) < before + 20);
  } finally {
    await long.end();
  }
});
