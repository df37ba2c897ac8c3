/** A place for one case, and the stores that it opens there. */

import type { PetStore } from "../../mod.ts";
import { crashAt, openAt, requireMembers, type StoreFixture } from "./fixture.ts";
import type { Bench } from "./store/case.ts";

/** Closes the stores that `use` opens, except those that have crashed, and removes the place. The first error counts. */
export async function withNamespace<T>(subject: StoreFixture, use: (bench: Bench) => Promise<T>): Promise<T> {
  const place = newNamespace();
  let opened: PetStore[] = [];
  const bench: Bench = {
    async open() {
      const store = await openAt(subject, place);
      opened.push(store);
      requireMembers(subject, store);
      return store;
    },
    async crash() {
      await crashAt(subject, place);
      opened = [];
    },
  };
  const end = async () => {
    try {
      await Promise.all(opened.map(async (store) => await store.close()));
    } finally {
      await subject.remove?.(place);
    }
  };
  let result: T;
  try {
    result = await use(bench);
  } catch (error) {
    await end().catch(() => {});
    throw error;
  }
  await end();
  return result;
}

function newNamespace(): string {
  const random = crypto.getRandomValues(new Uint8Array(10));
  return `case_${Array.from(random, (byte) => (byte % 36).toString(36)).join("")}`;
}
