import assert from "node:assert/strict";
import { textArray } from "../lib/client/arrays.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { countReads, DAY, forgetCall, test } from "./support.ts";

/** Inserts requests that expire in `ends` milliseconds, in random order, so that each lies in another block. */
function remember(schema: string, name: string, count: number, ends: number): string {
  return `INSERT INTO "${schema}".requests SELECT rpad('${name}' || i, 22, 'k'), '${"f".repeat(22)}', i,
    extract(epoch FROM clock_timestamp()) * 1000 + ${ends} + i FROM generate_series(1, ${count}) AS i ORDER BY md5(i::text)`;
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
  test.tables(`a batch of keys and a deletion read only the rows they need, with ${state}`, async (url, schema) => {
    for (const sql of prepare(schema)) await runSql(url, sql);
    const warm = Array.from({ length: 8 }, (_, i) => addCall(schema, [`warm${i}`])).join(";");
    const batch = Array.from({ length: 512 }, (_, i) => i % 2 === 0 ? `known${i + 1}` : `new${i}`);
    // The function may have kept plans.
    const before = [warm, remember(schema, "known", 10_000, DAY), remember(schema, "gone", 2000, -DAY)].join(";");
    const deletion = forgetCall(schema, 100);
    const [added, first, second, last] = await countReads(
      url,
      `"${schema}".requests`,
      before,
      addCall(schema, batch),
      deletion,
      deletion,
      Array(10).fill(deletion).join(";"),
    );
    assert.deepEqual([added?.scanned, first?.scanned], [0, 0]);
    assert.ok(added!.fetched <= 512, `${added!.fetched} rows were read for 512 keys`);
    assert.ok(first!.fetched > 0 && first!.fetched <= 300, `${first!.fetched} rows were read to delete 100`);
    // Deleted rows stay during a transaction, and are not passed over again and again.
    assert.ok(last!.entries < 15 * second!.entries, JSON.stringify([first, second, last]));
  });
}
