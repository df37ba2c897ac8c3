/** The example store in docs/hosts.md passes the store contract, and keeps all pets that it has acknowledged. */

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { draft } from "../../lib/testing/store/case.ts";
import { storeCases, type StoreFixture } from "../../lib/testing/testing.ts";
import { withTempFolder } from "../support/temp.ts";
import { createJsonLinesStore } from "./programs/json_lines_store.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-"));
after(() => rmSync(folder, { recursive: true }));

const fixture: StoreFixture = {
  open: (namespace) => createJsonLinesStore(join(folder, namespace)),
  sharing: "restarts",
};

for (const { name, skip, run } of await storeCases(fixture)) {
  test(`a JSON-lines store ${name}${skip ? ` (skipped: ${skip})` : ""}`, { skip }, run);
}

test("a JSON-lines store keeps its pets and requests over a restart, and drops a line that was cut off", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pets.jsonl");
    const request = { key: "k".repeat(22), fingerprint: "f".repeat(22), retentionMs: 60_000 };
    const first = createJsonLinesStore(path);
    await first.create(draft({ name: "é😀\u2028", categoryId: 2n ** 63n - 1n }));
    await first.createOnce!(draft({ name: "Bo" }), request);
    await first.close();
    const whole = readFileSync(path);
    // Cut within a character, as a crash may do.
    writeFileSync(path, whole);
    appendFileSync(path, new TextEncoder().encode('{"name":"é').subarray(0, -1));
    const second = createJsonLinesStore(path);
    assert.deepEqual(readFileSync(path), whole);
    assert.equal(
      await second.get(1n),
      `{"id":1,"name":"é😀\u2028","categoryId":9223372036854775807,"status":"available"}`,
    );
    assert.deepEqual(await second.createOnce!(draft({ name: "Bo" }), request), { outcome: "replayed", id: 2n });
    assert.equal(await second.create(draft()), 3n);
    await second.close();
  }));
