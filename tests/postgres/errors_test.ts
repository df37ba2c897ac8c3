import assert from "node:assert/strict";
import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { test } from "./support.ts";

/** What postgres.js says if it got a socket instead of an address, as in the server. */
const TEXTS: readonly (readonly [code: string, address: string, shown: string])[] = [
  ["CONNECTION_CLOSED", "PostgreSQL:0", "the connection was lost"],
  ["CONNECTION_DESTROYED", "PostgreSQL:0", "the connection was closed"],
  ["CONNECTION_ENDED", "PostgreSQL:0", "the connection was closed"],
  ["CONNECT_TIMEOUT", "undefined:undefined", "the connection could not be opened in time"],
];

test("a lost connection is reported in words, without an address that does not exist", async () => {
  for (const [code, address, shown] of TEXTS) {
    const cause = Object.assign(new Error(`write ${code} ${address}`), { code });
    const client = { connect: () => Promise.reject(cause), totalCount: 0 };
    const expected = { name: "StoreUnavailableError", message: `PostgreSQL: ${shown}`, cause };
    await assert.rejects(createPostgresStore(client), expected);
  }
});
