/** Results that are cut after each of their first bytes. */

import assert from "node:assert/strict";
import { createPostgresStore } from "../../../lib/stores/postgres/postgres_store.ts";
import type { KeyedPetStore } from "../../../mod.ts";
import { whyNoCluster } from "../../support/postgres/cluster.ts";
import { DRIVERS, isAnswered, untilAnswered } from "../../support/postgres/postgres.ts";
import { at, openStore, withDatabase } from "../../support/postgres/servers.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withCuttingProxy } from "./cutting_proxy.ts";

const test = testUnless(whyNoCluster());

const BYTES = 2000;
const PETS = 12;
const pet = (id: number) => `{"id":${id},"name":"${`${id}`.repeat(120)}","categoryId":7,"status":"sold"}`;
const page = (after: number) => ({
  json: `[${Array.from({ length: PETS - after }, (_, i) => pet(after + i + 1)).join(",")}]`,
});

/** One connection for all, so that the request after a cut gets the one that was cut. */
const OPENERS: Record<string, (url: string) => Promise<KeyedPetStore>> = {
  "the server's driver": (url) => openStore(`${url}?pool_size=1`),
  ...Object.fromEntries(DRIVERS.map(({ name, connect }) => [
    name,
    (url: string) => createPostgresStore(() => connect(url, undefined, 1)),
  ])),
};

for (const [name, open] of Object.entries(OPENERS)) {
  test(`${name}: a result that is cut after any of its first ${BYTES} bytes makes no response wrong`, () =>
    withDatabase((url, port) =>
      withCuttingProxy(port, async (proxy) => {
        await using store = await open(at(url, `127.0.0.1:${proxy.port}`));
        for (let id = 1; id <= PETS; id++) {
          await store.create({ name: `${id}`.repeat(120), categoryId: 7n, status: "sold" });
        }
        const assertRight = async (after: number) => {
          assert.deepEqual(await store.list({ after: BigInt(after), limit: 100 }), page(after));
        };
        for (let bytes = 0; bytes < BYTES; bytes++) {
          await untilAnswered(async () => assert.equal(await store.get(3n), pet(3)));
          const { cuts } = proxy;
          proxy.cutAfter(bytes);
          assert.equal(await isAnswered(assertRight(bytes % 2)), false, `the result was whole after ${bytes} bytes`);
          assert.equal(proxy.cuts, cuts + 1);
          // Of another statement, and of the same one.
          await untilAnswered(async () => assert.equal(await store.get(7n), pet(7)));
          await untilAnswered(() => assertRight((bytes + 1) % 2));
        }
      })
    ));
}
