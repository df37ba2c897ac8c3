/** Registers the cases of the contracts as tests. */

import assert from "node:assert/strict";
import test from "node:test";
import { HTTP_CONTRACT, type OwnCase } from "../support/contract/all.ts";
import { HTTP_CASES } from "../../packages/conformance/lib/http/all.ts";
import { storeCases } from "../../packages/conformance/mod.ts";
import { type Host, IN_PROCESS, withApi } from "../support/api.ts";
import { MEMORY, type StoreKind, withStore } from "../support/stores.ts";

export async function testStoreContract(kinds: readonly StoreKind[]): Promise<void> {
  for (const kind of kinds) {
    const cases = await storeCases(kind);
    test(`a ${kind.name} store lacks the members that its fixture names, and no others`, () => {
      const missing = cases.flatMap(({ skip }) => skip ? /^the store has no (\w+)$/.exec(skip)?.[1] ?? [] : []);
      assert.deepEqual([...new Set(missing)].toSorted(), [...kind.lacks ?? []].toSorted());
    });
    for (const { name, guarantee, skip, run } of cases) {
      const reason = skip ? `, skipped: ${skip}` : "";
      test(`a ${kind.name} store ${name} (${guarantee}${reason})`, { skip }, run);
    }
  }
}

/**
 * All cases in memory, and on other stores the published ones. A variant of a store would show
 * nothing new. Over a socket, those that can be sent.
 */
export function testHttpContract(host: Host, kinds: readonly StoreKind[]): void {
  for (const kind of kinds.filter(({ isVariant }) => !isVariant)) {
    const contract: readonly OwnCase[] = kind === MEMORY ? HTTP_CONTRACT : HTTP_CASES;
    for (const { name, options, isLocal, run } of contract) {
      if (isLocal && host !== IN_PROCESS) continue;
      test(`${host.name}, ${kind.name} store: the petstore ${name}`, async () => {
        await withStore(kind, (store) => withApi(host, { store, ...options }, run));
      });
    }
  }
}
