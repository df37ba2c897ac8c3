/** The store in docs/stores.md passes the contract. Deno only. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { storeCases } from "../../lib/testing/testing.ts";
import type { PetStore } from "../../lib/stores/store.ts";
import { blocksOf, readPage, ROOT } from "../support/pages.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-"));
after(() => rmSync(folder, { recursive: true }));

const [block = ""] = blocksOf(readPage("docs/stores.md"), "ts").filter((text) =>
  text.includes("function createMyStore")
);
const file = join(folder, "my_store.ts");
writeFileSync(
  file,
  block.replace('"@petstore/petstore/store"', JSON.stringify(pathToFileURL(`${ROOT}lib/stores/store.ts`).href))
    .replace("function createMyStore", "export function createMyStore"),
);
const { createMyStore } = await import(pathToFileURL(file).href) as { createMyStore: (path: string) => PetStore };

for (
  const { name, skip, run } of await storeCases({
    open: (namespace) => createMyStore(join(folder, namespace)),
    sharing: "one machine",
  })
) {
  test(`the store of docs/stores.md ${name}${skip ? ` (skipped: ${skip})` : ""}`, { skip }, run);
}
