import test from "node:test";
import { type Host, withApi } from "../support/api.ts";
import { STORE_KINDS, withStore } from "../support/stores.ts";
import { HTTP_CONTRACT } from "../../lib/testing/http/all.ts";

export function testHttpContract(host: Host): void {
  for (const kind of STORE_KINDS) {
    if (kind.isForStoreContract || (kind.isVariant && host.name !== "in-process")) continue;
    for (const { name, options, run } of HTTP_CONTRACT) {
      test(`${host.name}, ${kind.name} store: the petstore ${name}`, async () => {
        await withStore(kind, (store) => withApi(host, { store, ...options }, run));
      });
    }
  }
}
