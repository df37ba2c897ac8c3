/**
 * Text in options stays text: in headers, in links and in file names. The HTTP contract has the
 * names of pets, such as SQL.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createSqliteStore } from "../../lib/stores/sqlite/create_sqlite_store.ts";
import { createPetstore } from "../../mod.ts";
import { withTempFolder } from "../support/temp.ts";

/** Spellings of the end of a header. */
const LINE_ENDS = "%0d%0a %0a %00 %e5%98%8a%e5%98%8d %250d%250a \\r\\n".split(" ");

test("createPetstore() refuses a base path that could end a header or a link, or lead elsewhere", () => {
  const ends = [...LINE_ENDS, "\r\n", "\n", "\r", "\0", "\u560a", " ", ">", '"', "<", "?", "#", "\\"];
  const elsewhere = "/.. /../v1 /v1/.. /v1/../x /. /./v1 // //evil.example /v1//x v1 http://x/v1".split(" ");
  for (const basePath of [...ends.flatMap((end) => [`/v1${end}x`, `/v1${end}`, `${end}/v1`]), ...elsewhere]) {
    assert.throws(() => createPetstore({ keys: ["k"], basePath }), TypeError, JSON.stringify(basePath));
  }
  for (const end of ends.filter((each) => !each.includes("%"))) {
    const create = () => createPetstore({ keys: ["k"], deprecation: { successor: `/pets${end}x` } });
    assert.throws(create, TypeError, JSON.stringify(end));
  }
});

test("the path of an SQLite store is only a file name: no URL, no parameters, no escapes", () =>
  withTempFolder(async (folder) => {
    const literal = "a.db?mode=memory|%2e%2e%2fb.db|c.db;DROP TABLE pets|d'.db|e.db#f|:memory:|file:g.db".split("|");
    for (const name of literal) {
      const store = createSqliteStore(join(folder, name));
      await store.create({ name: "Rex", categoryId: 7n, status: "sold" });
      assert.ok(existsSync(join(folder, name)), name);
      await store.close();
    }
    assert.deepEqual(readdirSync(folder).sort(), literal.toSorted());
  }));
