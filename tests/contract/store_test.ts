import { test } from "node:test";
import { KEY_CONTRACT, STORE_CONTRACT } from "./store.ts";
import { STORE_KINDS } from "../support/stores.ts";

for (const kind of STORE_KINDS) {
  for (const [name, run] of Object.entries({ ...STORE_CONTRACT, ...KEY_CONTRACT })) {
    test(`a ${kind.name} store ${name}`, () => kind.use(run));
  }
}
