import assert from "node:assert/strict";
import { test } from "node:test";
import { qualify } from "../lib/qualify.ts";

/** Plain SQL, and what it becomes. */
const STATEMENTS: [plain: string, qualified: string][] = [
  ['SELECT concat(count(*)) FROM "s".pets', 'SELECT pg_catalog.concat(pg_catalog.count(*)) FROM "s".pets'],
  [
    "WHERE a=$1::text AND (a, b) <=\n(1, 2)",
    "WHERE aOPERATOR(pg_catalog.=)$1::pg_catalog.text AND (a, b) OPERATOR(pg_catalog.<=)\n(1, 2)",
  ],
  ["$1::text[], $2::bigint[]", "$1::pg_catalog.text[], $2::bigint[]"],
  // The store's own functions, and constructs, are not PostgreSQL's functions.
  ['SELECT "s".add_pets(COALESCE(a, 1))', 'SELECT "s".add_pets(COALESCE(a, 1))'],
  ["UPDATE t SET a = 1 WHERE a = 2", "UPDATE t SET a = 1 WHERE a OPERATOR(pg_catalog.=) 2"],
  ["SELECT 'concat(a = b)::text', a = 'b'", "SELECT 'concat(a = b)::text', a OPERATOR(pg_catalog.=) 'b'"],
];

test("qualify() puts pg_catalog before operators, functions and types, and changes nothing else", () => {
  for (const [plain, qualified] of STATEMENTS) assert.equal(qualify(plain), qualified);
});
