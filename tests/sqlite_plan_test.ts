/** What a list costs, asked of SQLite's planner rather than of the clock. */

import assert from "node:assert/strict";
import test from "node:test";
import { openDatabase } from "../lib/stores/sqlite_open.ts";
import { ALL_PETS, NEXT_IDS, PETS_OF_STATUS, SELECT_PET } from "../lib/stores/sqlite_statements.ts";

/** How SQLite would run a statement: the details of its plan. */
function explain(sql: string): string[] {
  const db = openDatabase(":memory:");
  try {
    return db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(parameterCount(sql)).fill(1n))
      .map(({ detail }) => String(detail));
  } finally {
    db.close();
  }
}

/** Numbered parameters count once, however often they occur. */
function parameterCount(sql: string): number {
  const named = new Set(sql.match(/\?\d+/g));
  return named.size > 0 ? named.size : sql.split("?").length - 1;
}

const PLANS: [what: string, sql: string, search: string][] = [
  ["a pet", SELECT_PET, "SEARCH pets USING INTEGER PRIMARY KEY (rowid=?)"],
  ["a page", ALL_PETS.page, "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)"],
  ["the next ids", NEXT_IDS, "SEARCH pets USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
  ["whether a page follows", ALL_PETS.more, "SEARCH pets USING INTEGER PRIMARY KEY (rowid>?)"],
  ["a page of a status", PETS_OF_STATUS.page, "SEARCH pets USING INDEX pets_by_status (status=? AND rowid>?)"],
  [
    "whether a page of a status follows",
    PETS_OF_STATUS.more,
    "SEARCH pets USING COVERING INDEX pets_by_status (status=? AND rowid>?)",
  ],
];

for (const [what, sql, search] of PLANS) {
  test(`the SQLite store finds ${what} by its place in an index, and sorts nothing`, () => {
    const plan = explain(sql);
    assert.ok(plan.includes(search), plan.join("; "));
    // The one scan allowed is of the page itself, which the inner query has cut off.
    const rest = plan.filter((detail) => detail !== search && !/^(CO-ROUTINE|SCAN) \(subquery-\d+\)$/.test(detail));
    assert.deepEqual(rest, []);
  });
}
