import test from "node:test";
import { type Host, withApi } from "../support/api.ts";
import { STORE_KINDS, withStore } from "../support/stores.ts";
import { HTTP_CONTRACT } from "../../lib/testing/http/all.ts";

export function testHttpContract(host: Host): void {
  for (const kind of STORE_KINDS) {
    // Over a socket, one store that returns promises and one that does not are enough.
    const isEnough = host.name === "in-process" || kind.name === "memory" || kind.name === "SQLite";
    if (kind.isForStoreContract || !isEnough) continue;
    for (const { name, options, run } of HTTP_CONTRACT) {
      test(`${host.name}, ${kind.name} store: the petstore ${name}`, async () => {
        await withStore(kind, (store) => withApi(host, { store, ...options }, run));
      });
    }
  }
}
