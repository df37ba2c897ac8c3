import { test } from "node:test";
import { storeCases } from "../../lib/testing/testing.ts";
import { STORE_KINDS } from "../support/stores.ts";

for (const kind of STORE_KINDS) {
  for (const { name, guarantee, skip, run } of storeCases(kind)) {
    const reason = skip ? `, skipped: ${skip}` : "";
    test(`a ${kind.name} store ${name} (${guarantee}${reason})`, { skip }, run);
  }
}
