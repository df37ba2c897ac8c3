/** The store that docs/stores.md links passes the contract. Deno only. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { storeCases } from "../../lib/testing/testing.ts";
import { createMyStore } from "./my_store.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-"));
after(() => rmSync(folder, { recursive: true }));

for (
  const { name, skip, run } of await storeCases({
    open: (namespace) => createMyStore(join(folder, namespace)),
    sharing: "one machine",
  })
) {
  test(`the store of docs/stores.md ${name}${skip ? ` (skipped: ${skip})` : ""}`, { skip }, run);
}
