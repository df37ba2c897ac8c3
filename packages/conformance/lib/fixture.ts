/** The store under test: how to open it for a case, and which cases apply to it. */

import type { MaybePromise, PetStore } from "@petstore/petstore/store";
import { type CaseContext, type Need, OPTIONAL_MEMBERS } from "./store/case.ts";

/**
 * Which stores share the pets of a namespace.
 *
 * - `"none"`: each store has its own pets, which are gone when it closes.
 * - `"restarts"`: a store that is opened later has the pets, after the first was closed.
 * - `"machine"`: several stores have them at once. They may measure time with the clock of that
 *   machine.
 * - `"machines"`: the same from several machines, whose clocks may differ. To simulate that, a case
 *   replaces `Date.now` in this process for a moment.
 */
export type Sharing = "none" | "restarts" | "machine" | "machines";

/** How the cases open the store under test, and which of them apply to it. */
export interface StoreFixture {
  /**
   * Opens a store in a namespace. A namespace is one set of pets, such as a file or a schema. Each
   * case gets a new one, which is empty. Stores in the same namespace have the same pets, as far as
   * {@link StoreFixture.sharing} says. The cases close the stores that they open, except after a
   * crash.
   *
   * @param namespace A name such as `case_k3v9x2m4`: up to 20 lower-case letters, digits and `_`.
   */
  open(namespace: string): MaybePromise<PetStore>;
  /** Deletes the data of a namespace. Each case calls it at its end, after it has closed the stores. */
  remove?(namespace: string): MaybePromise<void>;
  /**
   * Simulates a crash: ends the programs that have the stores of a namespace open, in the middle of
   * their work, for example by cutting their connections or killing their processes. A database
   * server may keep running. Afterwards, stores can be opened in the namespace again, and the cases
   * do not close the crashed ones. Without this method, the cases about crashes are skipped.
   */
  crash?(namespace: string): MaybePromise<void>;
  /** Which stores share the pets of a namespace. */
  sharing: Sharing;
}

function isShared({ sharing }: StoreFixture): boolean {
  return sharing.startsWith("machine");
}

/**
 * Opens a store, to see which members it has. Tells why a case with these needs does not apply;
 * false if it does. If the store cannot be opened, each case that needs a member applies, and fails
 * for that reason.
 */
export async function skipper(fixture: StoreFixture): Promise<(needs: readonly Need[]) => string | false> {
  const store = await withNamespace(fixture, ({ open }) => open()).catch(() => undefined);
  const unmet: Partial<Record<Need, string | false>> = {
    restarts: fixture.sharing === "none" && "the pets do not survive a restart",
    machines: fixture.sharing !== "machines" && "all servers use one clock",
    crash: fixture.crash === undefined && "the fixture has no crash()",
  };
  for (const member of OPTIONAL_MEMBERS) {
    unmet[member] = store !== undefined && store[member] === undefined && `the store has no ${member}`;
  }
  return (needs) => needs.map((need) => unmet[need] ?? false).find((reason) => reason) || false;
}

/**
 * Runs `work` with a new namespace. Afterwards closes the stores that `work` opened, except those
 * that crashed, and removes the namespace. If both fail, the error of `work` is thrown.
 */
export async function withNamespace<T>(fixture: StoreFixture, work: (context: CaseContext) => Promise<T>): Promise<T> {
  const namespace = `case_${crypto.randomUUID().slice(-12)}`;
  let opened: PetStore[] = [];
  const context: CaseContext = {
    async open() {
      const store = await fixture.open(namespace);
      opened.push(store);
      return store;
    },
    second: async (store) => isShared(fixture) ? await context.open() : store,
    async crash() {
      await fixture.crash?.(namespace);
      opened = [];
    },
  };
  const end = async () => {
    try {
      await Promise.all(opened.map(async (store) => await store.close()));
    } finally {
      await fixture.remove?.(namespace);
    }
  };
  let result;
  try {
    result = await work(context);
  } catch (error) {
    await end().catch(() => {});
    throw error;
  }
  await end();
  return result;
}
