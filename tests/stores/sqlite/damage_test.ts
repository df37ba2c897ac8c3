/** Damage that SQLite does not notice while it reads, and the check that finds it. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createMany, query, REX, testWriters, usingStore, walk, withPath } from "./support.ts";

const PAGE = 4096;

testWriters(
  "pets can be missing from a damaged file without an error, and PRAGMA quick_check finds the damage",
  () =>
    withPath(async (path) => {
      await usingStore(path, (store) => createMany(store, 400, { ...REX, name: "x".repeat(200) }));
      assert.deepEqual(query(path, "PRAGMA quick_check"), [{ quick_check: "ok" }]);
      const root = Number(query(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'pets'")[0]?.["rootpage"]);
      const bytes = readFileSync(path);
      const header = (root - 1) * PAGE;
      assert.equal(bytes[header], 5, "the root is not an inner page");
      // One cell less: the inner page loses the last but one of its leaves.
      bytes.writeUInt16BE(bytes.readUInt16BE(header + 3) - 1, header + 3);
      writeFileSync(path, bytes);
      const { length } = await usingStore(path, (store) => walk(store));
      assert.ok(length > 300 && length < 400, `${length} pets are shown`);
      assert.notDeepEqual(query(path, "PRAGMA quick_check"), [{ quick_check: "ok" }]);
    }),
);
