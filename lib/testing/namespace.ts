/** A namespace for one case, and the stores that the case opens in it. */

import type { PetStore } from "../../mod.ts";
import { checkOptionalMembers, crashStores, openStore, type StoreFixture } from "./fixture.ts";
import type { CaseContext } from "./store/case.ts";

/**
 * Runs `work` with a new namespace. Afterwards closes the stores that `work` opened, except those that crashed, and removes the
 * namespace. If several steps fail, the first error is thrown.
 */
export async function withNamespace<T>(fixture: StoreFixture, work: (context: CaseContext) => Promise<T>): Promise<T> {
  const namespace = newNamespace();
  let opened: PetStore[] = [];
  const context: CaseContext = {
    async open() {
      const store = await openStore(fixture, namespace);
      opened.push(store);
      checkOptionalMembers(fixture, store);
      return store;
    },
    async crash() {
      await crashStores(fixture, namespace);
      opened = [];
    },
  };
  const cleanUp = async () => {
    try {
      await Promise.all(opened.map(async (store) => await store.close()));
    } finally {
      await fixture.remove?.(namespace);
    }
  };
  let result: T;
  try {
    result = await work(context);
  } catch (error) {
    await cleanUp().catch(() => {});
    throw error;
  }
  await cleanUp();
  return result;
}

function newNamespace(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return `case_${Array.from(random, (byte) => (byte % 36).toString(36)).join("")}`;
}
