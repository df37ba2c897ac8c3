/** Results that end in an error, do not match their end, or cannot be read. Where they may be cut, `tools/reliability/histories` tries. */

import assert from "node:assert/strict";
import type { KeyedPetStore } from "@petstore/petstore/store";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { isAnswered, untilAnswered } from "../../../../tests/support/postgres/postgres.ts";
import {
  addPet,
  at,
  KEY,
  openStore,
  PET,
  withDatabase,
  withOneServer,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless, testWith } from "../../../../tests/support/test_with.ts";
import { until } from "../../../../tests/support/until.ts";
import { type Proxy, withProxy } from "../../../../tests/support/postgres/proxy.ts";

const define = testUnless(whyNoCluster());
const test = testWith(withPets, define);

const PETS = 12;
const pet = (id: number) => `{"id":${id},"name":"${`${id}`.repeat(90)}","categoryId":7,"status":"sold"}`;
const PAGE = { json: `[${Array.from({ length: PETS }, (_, i) => pet(i + 1)).join(",")}]` };

/** A store with pets, over a proxy. It has one connection, so that the request after a fault gets the one that was hit. */
function withPets(use: (store: KeyedPetStore, proxy: Proxy) => Promise<void>): Promise<void> {
  return withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await using store = await openStore(at(url, `127.0.0.1:${proxy.port}`, "?pool_size=1"));
      for (let id = 1; id <= PETS; id++) {
        await store.create({ name: `${id}`.repeat(90), categoryId: 7n, status: "sold" });
      }
      await use(store, proxy);
    })
  );
}

async function assertRight(store: KeyedPetStore): Promise<void> {
  assert.deepEqual(await store.list({ after: 0n, limit: 100 }), PAGE);
}

/** An error of the server, as it stands in the stream. */
function errorMessage(severity: string, state: string): string {
  const fields = `S${severity}\0V${severity}\0C${state}\0Mcut\0\0`;
  return `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
}

/** The end of a result with all pets. */
const END = `C\0\0\0\x0eSELECT ${PETS}\0`;

test(
  "a result that lacks a row, or ends in an error, is refused, and its connection is closed",
  async (store, proxy) => {
    const faults: [end: string, says: RegExp][] = [
      [END.replace("12", "13"), /has 12 rows, and its end says SELECT 13/],
      [errorMessage("ERROR", "57014"), /SQLSTATE 57014/],
      [errorMessage("FATAL", "57P01"), /SQLSTATE 57P01/],
    ];
    for (const [end, says] of faults) {
      await assertRight(store);
      const { accepted } = proxy;
      proxy.replace(END, end);
      await assert.rejects(async () => await assertRight(store), says);
      proxy.replace("", "");
      await untilAnswered(() => assertRight(store));
      assert.equal(proxy.accepted, accepted + 1);
    }
  },
);

/** What a create gets, with this id. */
const ADDED = (id: number) => `D\0\0\0\x0c\0\x01\0\0\0\x02${id}C\0\0\0\x0dSELECT 1\0`;

/** The error that a create gets in the place of its id, and whether its pet may have been stored then. */
const ERRORS: [what: string, severity: string, state: string, mayBeStored: boolean][] = [
  ["a pooler loses its connection", "ERROR", "08006", true],
  ["the outcome is not known", "ERROR", "40003", true],
  ["PostgreSQL is stopped", "FATAL", "57P01", true],
  ["the disk is full", "ERROR", "53100", false],
  ["a row is refused, in German", "FEHLER", "23514", false],
  ["the database can only be read, in German", "FEHLER", "25006", false],
  ["the sequence was altered, in German", "FEHLER", "55000", false],
  ["the time limit of the server has passed, in German", "FEHLER", "57014", false],
  ["PostgreSQL is stopped, in Russian", "VAZHNO", "57P01", true],
];

test(
  "a create that fails says whether its pet may have been stored, and the next one is answered",
  async (store, proxy) => {
    let id = PETS;
    const assertFails = async (what: string, result: string, mayBeStored: boolean) => {
      proxy.replace(ADDED(++id), result);
      const expected = { name: "StoreUnavailableError", mayBeStored };
      await assert.rejects(async () => await store.create(PET), expected, what);
      proxy.replace("", "");
      await untilAnswered(async () => assert.ok(await store.get(BigInt(id))));
    };
    for (const [what, severity, state, mayBeStored] of ERRORS) {
      await assertFails(what, errorMessage(severity, state), mayBeStored);
    }
    await assertFails("the row has no column", ADDED(id + 1).replace(/^D[^C]*/, "D\0\0\0\x06\0\x01"), true);
  },
);

/** The server lets the client in, or demands a login by GSSAPI, which the driver does not know. */
const WELCOME = "R\0\0\0\x08\0\0\0\0", GSSAPI = "R\0\0\0\x08\0\0\0\x07";

/** Both are messages of the server: the end of a login or a result, and the description of the columns of a page. */
const READY = "Z\0\0\0\x05I", COLUMNS = "T\0\0\0\x34\0\x02";

test(
  "an error of the server right after the login, or a message that cannot be read, also during the login, ends no process",
  async (store, proxy) => {
    const uncaught: unknown[] = [];
    // The test runner would not report it.
    const onError = (event: ErrorEvent) => {
      event.preventDefault();
      uncaught.push(event.error);
    };
    addEventListener("error", onError);
    const more = COLUMNS.replace("\0\x02", "\x7f\xff");
    const faults = [[READY, READY + errorMessage("FATAL", "57P01")], [COLUMNS, more], [WELCOME, GSSAPI]] as const;
    for (const [from, to] of faults) {
      proxy.replace(from, to);
      // The first read ends the connection, so that there is another login.
      proxy.follow([{ side: "client", bytes: 1, effect: "end" }]);
      for (let reads = 0; reads < 5; reads++) await isAnswered(store.list({ after: 0n, limit: 7, status: "sold" }));
      proxy.replace("", "");
      await untilAnswered(() => assertRight(store));
    }
    removeEventListener("error", onError);
    assert.deepEqual(uncaught, []);
  },
);

/** The description of the one column of a pet, and what PgBouncer made of one whose connection ended after its first bytes. */
const COLUMN = "T\0\0\0\x1f\0\x01concat\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";
const CUT_COLUMN = "T\0\0\0\x1f\x0eE\0\0\0)SFATAL\0C08P01\0Mserver ";

define(
  "a server refuses what it asked for if the columns of the result do not fit their length",
  () =>
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
    ),
);
