/** Results whose end does not match their rows, or that cannot be read. Where they may be cut, `reliability histories` tries. */

import assert from "node:assert/strict";
import { openOnOwnPool } from "../../lib/own_pool.ts";
import { type KeyedPetStore, StoreUnavailableError } from "@petstore/petstore/store";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { connect, isAnswered, untilAnswered } from "../../../../tests/support/postgres/postgres.ts";
import {
  addPet,
  at,
  KEY,
  openStore,
  PET,
  withDatabase,
  withOneServer,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";
import { until } from "../../../../tests/support/until.ts";
import { type Proxy, withProxy } from "../../../../tests/support/postgres/proxy.ts";

const test = testUnless(whyNoCluster());

const PETS = 12;
const pet = (id: number) => `{"id":${id},"name":"${`${id}`.repeat(90)}","categoryId":7,"status":"sold"}`;
const page = (after: number) => ({
  json: `[${Array.from({ length: PETS - after }, (_, i) => pet(after + i + 1)).join(",")}]`,
});

type Open = (url: string) => Promise<KeyedPetStore>;

/** One connection for all, so that the request after a cut gets the one that was cut. */
const OPENERS: Record<string, Open> = {
  "the server": (url) => openStore(`${url}?pool_size=1`),
  "a pool without the server": (url) => openOnOwnPool(connect(url, undefined, 1)),
};

/** A store with pets, over a proxy. */
function withPets(open: Open, use: (store: KeyedPetStore, proxy: Proxy) => Promise<void>): Promise<void> {
  return withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await using store = await open(at(url, `127.0.0.1:${proxy.port}`));
      for (let id = 1; id <= PETS; id++) {
        await store.create({ name: `${id}`.repeat(90), categoryId: 7n, status: "sold" });
      }
      await use(store, proxy);
    })
  );
}

async function assertRight(store: KeyedPetStore, after = 0): Promise<void> {
  assert.deepEqual(await store.list({ after: BigInt(after), limit: 100 }), page(after));
}

test("a result without a row that its end counts is refused, and its connection is closed", async () => {
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

/** What a create gets, with this id. */
const ADDED = (id: number) => `D\0\0\0\x0c\0\x01\0\0\0\x02${id}C\0\0\0\x0dSELECT 1\0`;
const error = (severity: string, state: string) => {
  const fields = `S${severity}\0V${severity}\0C${state}\0Mcut\0\0`;
  return `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
};

test("a create whose result is lost or cannot be read may have been stored", async () => {
  const results = [
    error("ERROR", "08006"),
    error("ERROR", "40003"),
    ADDED(13).replace("\x0c\0\x01\0\0\0\x0213", "\x06\0\x01"),
  ];
  for (const open of Object.values(OPENERS)) {
    await withPets(open, async (store, proxy) => {
      for (const [i, result] of results.entries()) {
        const id = PETS + 1 + i;
        proxy.replace(ADDED(id), result);
        await assert.rejects(async () => await store.create(PET), (error) => {
          assert.ok(error instanceof StoreUnavailableError && error.mayBeStored, String(error));
          return true;
        });
        proxy.replace("", "");
        await untilAnswered(async () => assert.ok(await store.get(BigInt(id))));
      }
    });
  }
});

/** Both are messages of the server: the end of a login or a result, and the description of the columns of a page. */
const READY = "Z\0\0\0\x05I", COLUMNS = "T\0\0\0\x34\0\x02";

test("an error of the server right after the login, or a message that cannot be read, ends no process", async () => {
  const uncaught: unknown[] = [];
  // The test runner would not report it.
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    uncaught.push(event.error);
  };
  addEventListener("error", onError);
  for (const open of Object.values(OPENERS)) {
    await withPets(open, async (store, proxy) => {
      const more = COLUMNS.replace("\0\x02", "\x7f\xff");
      for (const [from, to] of [[READY, READY + error("FATAL", "57P01")], [COLUMNS, more]] as const) {
        proxy.replace(from, to);
        for (let reads = 0; reads < 5; reads++) await isAnswered(store.list({ after: 0n, limit: 7, status: "sold" }));
        proxy.replace("", "");
        await untilAnswered(() => assertRight(store));
      }
    });
  }
  removeEventListener("error", onError);
  assert.deepEqual(uncaught, []);
});

/** The description of the one column of a pet, and what PgBouncer made of one whose connection ended after its first bytes. */
const COLUMN = "T\0\0\0\x1f\0\x01concat\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";
const CUT_COLUMN = "T\0\0\0\x1f\x0eE\0\0\0)SFATAL\0C08P01\0Mserver ";

test("a server refuses what it asked for if the columns of the result do not fit their length", () =>
  withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await addPet(url);
      await withOneServer(at(url, `127.0.0.1:${proxy.port}`, "?prepare=false"), async (server) => {
        // The driver alone would look for the end of a name for ever, and the process do nothing else.
        const signal = AbortSignal.timeout(60_000);
        const isAsked = async (status: number) => (await server.ask("/v1/pets/1", KEY, { signal })).status === status;
        assert.ok(await isAsked(200));
        proxy.replace(COLUMN, CUT_COLUMN);
        assert.ok(await isAsked(503));
        proxy.replace("", "");
        await until("a pet", () => isAsked(200));
      });
    })
  ));
