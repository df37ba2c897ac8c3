/** A namespace for one case, and the stores that the case opens in it. */

import type { PetStore } from "../../mod.ts";
import { calling, checkOptionalMembers, FixtureError, type StoreFixture } from "./fixture.ts";
import type { CaseContext } from "./store/case.ts";

/**
 * Runs `work` with a new namespace. Afterwards closes the stores that `work` opened, except those that crashed, and removes the
 * namespace. If several steps fail, the first error is thrown.
 */
export async function withNamespace<T>(fixture: StoreFixture, work: (context: CaseContext) => Promise<T>): Promise<T> {
  const namespace = `case_${crypto.randomUUID().slice(-12)}`;
  let opened: PetStore[] = [];
  const context: CaseContext = {
    async open() {
      const store = await calling("open", () => fixture.open(namespace));
      if (typeof store?.create !== "function") throw new FixtureError("The fixture's open() returned no store");
      opened.push(store);
      checkOptionalMembers(fixture, store);
      return store;
    },
    async crash() {
      await calling("crash", () => fixture.crash?.(namespace));
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
  const result = await work(context).catch(async (error) => {
    await cleanUp().catch(() => {});
    throw error;
  });
  await cleanUp();
  return result;
}
