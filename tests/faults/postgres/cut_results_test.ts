/** Results that are cut after each of their first bytes, or whose end does not match their rows. */

import assert from "node:assert/strict";
import { createPostgresStore } from "../../../lib/stores/postgres/postgres_store.ts";
import type { KeyedPetStore } from "../../../mod.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { DRIVERS, isAnswered, untilAnswered } from "../../support/postgres/postgres.ts";
import { at, openStore, withDatabase } from "../../support/postgres/servers.ts";
import { testUnless } from "../../support/system/commands.ts";
import { type CuttingProxy, withCuttingProxy } from "./cutting_proxy.ts";

const test = testUnless(whyNoCluster());

const BYTES = 2000;
const PETS = 12;
const pet = (id: number) => `{"id":${id},"name":"${`${id}`.repeat(120)}","categoryId":7,"status":"sold"}`;
const page = (after: number) => ({
  json: `[${Array.from({ length: PETS - after }, (_, i) => pet(after + i + 1)).join(",")}]`,
});

type Open = (url: string) => Promise<KeyedPetStore>;

/** One connection for all, so that the request after a cut gets the one that was cut. */
const OPENERS: Record<string, Open> = {
  "the server's driver": (url) => openStore(`${url}?pool_size=1`),
  ...Object.fromEntries(DRIVERS.map(({ name, connect }) => [
    name,
    (url: string) => createPostgresStore(() => connect(url, undefined, 1)),
  ])),
};

/** A store with pets, over a proxy. */
function withPets(open: Open, use: (store: KeyedPetStore, proxy: CuttingProxy) => Promise<void>): Promise<void> {
  return withDatabase((url, port) =>
    withCuttingProxy(port, async (proxy) => {
      await using store = await open(at(url, `127.0.0.1:${proxy.port}`));
      for (let id = 1; id <= PETS; id++) {
        await store.create({ name: `${id}`.repeat(120), categoryId: 7n, status: "sold" });
      }
      await use(store, proxy);
    })
  );
}

async function assertRight(store: KeyedPetStore, after = 0): Promise<void> {
  assert.deepEqual(await store.list({ after: BigInt(after), limit: 100 }), page(after));
}

async function cutAll(store: KeyedPetStore, proxy: CuttingProxy): Promise<void> {
  for (let bytes = 0; bytes < BYTES; bytes++) {
    await untilAnswered(async () => assert.equal(await store.get(3n), pet(3)));
    const { cuts } = proxy;
    proxy.cutAfter(bytes);
    assert.equal(await isAnswered(assertRight(store, bytes % 2)), false, `the result was whole after ${bytes} bytes`);
    assert.equal(proxy.cuts, cuts + 1);
    // Of another statement, and of the same one.
    await untilAnswered(async () => assert.equal(await store.get(7n), pet(7)));
    await untilAnswered(() => assertRight(store, (bytes + 1) % 2));
  }
}

test(`a result that is cut after any of its first ${BYTES} bytes makes no response wrong, with either driver`, async () => {
  await Promise.all(Object.values(OPENERS).map((open) => withPets(open, cutAll)));
});

test("a result without a row that its end counts is refused, and its connection is closed, with either driver", async () => {
  for (const open of Object.values(OPENERS)) {
    await withPets(open, async (store, proxy) => {
      await assertRight(store);
      const { accepted } = proxy;
      proxy.replace(`SELECT ${PETS}`, `SELECT ${PETS + 1}`);
      const cause = new RegExp(`has ${PETS} rows, and its end says SELECT ${PETS + 1}`);
      await assert.rejects(async () => await assertRight(store), cause);
      proxy.replace("", "");
      await untilAnswered(() => assertRight(store));
      assert.equal(proxy.accepted, accepted + 1);
    });
  }
});
