/**
 * The contracts as cases for any test runner: {@link storeCases} proves or refutes a store, and {@link httpCases} a petstore on
 * it. The cases need `node:assert`, which Deno, Node and Bun have, and Workers with the flag `nodejs_compat`.
 *
 * @example With the test runner of Node, Deno or Bun; other runners are alike.
 * ```ts ignore
 * import { test } from "node:test";
 * import { httpCases, storeCases, type StoreFixture } from "@petstore/petstore/testing";
 * import { createMyStore } from "./my_store.ts";
 *
 * const subject: StoreFixture = { open: (place) => createMyStore(place), sharing: "restarts", lacks: ["keys"] };
 * for (const { name, skip, run } of storeCases(subject)) test(`my store ${name}`, { skip }, run);
 * for (const { name, skip, run } of httpCases(subject)) test(`a petstore on my store ${name}`, { skip }, run);
 * ```
 *
 * @module
 */

import type { MaybePromise, PetStore } from "../../mod.ts";
import { type Host, withApi } from "./http/api.ts";
import { HTTP_CONTRACT } from "./http/all.ts";
import { ContractError, type StoreGuarantee } from "./guarantees.ts";
import { STORE_CONTRACT } from "./store/all.ts";
import type { StoreCase } from "./store/case.ts";
import { withNamespace } from "./namespace.ts";
import { FixtureError, requireFixture, type StoreFixture, whyNot } from "./fixture.ts";

export type { Host, MaybePromise, PetStore, StoreFixture, StoreGuarantee };
export { ContractError };
export type { Sharing } from "./fixture.ts";
export type { OptionalMember } from "./store/case.ts";
export type { Handle } from "./http/api.ts";

/** One case of the HTTP contract. */
export interface HttpContractCase {
  /** The rest of a sentence that begins with "the petstore", such as `answers one pet by its id`. */
  name: string;
  /** Why the case does not apply to this store; false if it does. A runner should show it. */
  skip: string | false;
  /** Rejects if the petstore breaks the contract. */
  run(): Promise<void>;
}

/** One case of the store contract. */
export interface StoreContractCase {
  /** The rest of a sentence that begins with "the store", such as `gives ascending ids, starting at 1`. */
  name: string;
  /** The promise that the case holds. */
  promise: StoreGuarantee;
  /** Why the case does not apply to this store; false if it does. A runner should show it. */
  skip: string | false;
  /** Rejects with a {@link ContractError} if the store breaks the promise. */
  run(): Promise<void>;
}

/**
 * The cases of the store contract. Run those of one process one after the other: one of them changes `Date` for a moment.
 *
 * @throws {TypeError} If it is not a subject.
 */
export function storeCases(subject: StoreFixture): StoreContractCase[] {
  requireFixture(subject);
  return STORE_CONTRACT.map((each) => ({
    ...{ name: each.name, promise: each.promise, skip: whyNot(subject, each.needs) },
    run: () => runCase(subject, each),
  }));
}

/**
 * The cases of the HTTP contract, each with a petstore on an empty store. They expect that ids have no gaps while no create fails.
 *
 * @param host Carries the requests, for example over a socket. Default: each request goes to `handle` directly.
 * @throws {TypeError} If it is not a subject.
 */
export function httpCases(subject: StoreFixture, host?: Host): HttpContractCase[] {
  requireFixture(subject);
  return HTTP_CONTRACT.map(({ name, options, needs = [], run }) => ({
    name,
    skip: whyNot(subject, needs),
    run: () =>
      withNamespace(subject, async ({ open }) => await withApi({ store: await open(), ...options }, run, { host })),
  }));
}

async function runCase(subject: StoreFixture, { promise, run }: StoreCase): Promise<void> {
  await withNamespace(subject, async (bench) => {
    const store = await bench.open();
    try {
      await run(store, bench);
    } catch (error) {
      throw error instanceof FixtureError ? error : new ContractError(promise, error);
    }
  });
}
