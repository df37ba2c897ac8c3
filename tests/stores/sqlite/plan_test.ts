/** The cost of reads, taken from SQLite's query plans. */

import assert from "node:assert/strict";
import test from "node:test";
import { SELECT_MARKS } from "../../../lib/stores/sqlite/change_watch.ts";
import { openDatabase } from "../../../lib/stores/sqlite/open.ts";
import { SELECT_PAGE, SELECT_PAGE_OF_STATUS, SELECT_PET } from "../../../lib/stores/sqlite/pet_reader.ts";

/** The steps of SQLite's plan for a statement. */
function explain(sql: string): string[] {
  const { db } = openDatabase(":memory:");
  try {
    return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(parameterCount(sql)).fill(1n))
      .map(({ detail }) => String(detail));
  } finally {
    db.close();
  }
}

function parameterCount(sql: string): number {
  return sql.split("?").length - 1;
}

const BY_ID = "SEARCH pets USING INTEGER PRIMARY KEY";
const BY_STATUS = "SEARCH pets USING INDEX pets_by_status";
const BY_STATUS_ALONE = "SEARCH pets USING COVERING INDEX pets_by_status";

/** The co-routine has one row: the next id. */
function pageSteps(next: string, pets: string): string[] {
  return ["CO-ROUTINE (subquery-2)", "SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", next, "SCAN (subquery-2)", pets];
}

const PLANS: [what: string, sql: string, steps: string[]][] = [
  ["a pet", SELECT_PET, [`${BY_ID} (rowid=?)`]],
  ["a page", SELECT_PAGE, pageSteps(`${BY_ID} (rowid>?)`, `${BY_ID} (rowid>? AND rowid<?)`)],
  [
    "a page of a status",
    SELECT_PAGE_OF_STATUS,
    // The end of the page is found in the index alone.
    pageSteps(`${BY_STATUS_ALONE} (status=? AND rowid>?)`, `${BY_STATUS} (status=? AND rowid>? AND rowid<?)`),
  ],
];

for (const [what, sql, steps] of PLANS) {
  // A search follows an index. A scan, a co-routine over pets or a temporary B-tree for sorting would appear as a step.
  test(`the SQLite store finds ${what} through an index, without sorting`, () => {
    assert.deepEqual(explain(sql), steps);
  });
}

test("the SQLite store finds out what other connections did without reading the pets", () => {
  const steps = explain(SELECT_MARKS).filter((step) => step.includes("pets"));
  // For the largest id, this follows the right edge of the tree. A scan of the pets would say so.
  assert.deepEqual(steps, ["SEARCH pets"]);
});
