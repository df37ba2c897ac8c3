/** Results that end in an error, or cannot be read. Where they may be cut, `tools/reliability/histories` tries. */

import assert from "node:assert/strict";
import type { KeyedPetStore } from "@petstore/petstore/store";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { isAnswered, untilAnswered } from "../../../../tests/support/postgres/postgres.ts";
import { at, openStore, PET, withDatabase } from "../../../../tests/support/postgres/servers.ts";
import { testUnless, testWith } from "../../../../tests/support/test_with.ts";
import { type Proxy, withProxy } from "../../../../tests/support/postgres/proxy.ts";

const test = testWith(withPet, testUnless(whyNoCluster()));

/** A store with a pet, over a proxy. It has one connection, so that the request after a fault gets the one that was hit. */
function withPet(use: (store: KeyedPetStore, proxy: Proxy) => Promise<void>): Promise<void> {
  return withDatabase((url, port) =>
    withProxy(port, async (proxy) => {
      await using store = await openStore(at(url, `127.0.0.1:${proxy.port}`, "?pool_size=1"));
      await store.create(PET);
      await use(store, proxy);
    })
  );
}

/** An error of the server, as it stands in the stream. */
function errorMessage(severity: string, state: string): string {
  const fields = `S${severity}\0V${severity}\0C${state}\0Mcut\0\0`;
  return `E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`;
}

/** What a create gets, with this id. */
const ADDED = (id: number) => `D\0\0\0\x0b\0\x01\0\0\0\x01${id}C\0\0\0\x0dSELECT 1\0`;

/** The error that a create gets in the place of its id, and whether its pet may have been stored then. */
const ERRORS: [what: string, severity: string, state: string, mayBeStored: boolean][] = [
  ["a pooler loses its connection", "ERROR", "08006", true],
  ["PostgreSQL is stopped", "FATAL", "57P01", true],
  ["the disk is full", "ERROR", "53100", false],
  ["a row is refused, in German", "FEHLER", "23514", false],
  ["PostgreSQL is stopped, in Russian", "VAZHNO", "57P01", true],
];

test(
  "a create that fails says whether its pet may have been stored, and the next one is answered",
  async (store, proxy) => {
    let id = 1;
    for (const [what, severity, state, mayBeStored] of ERRORS) {
      proxy.replace(ADDED(++id), errorMessage(severity, state));
      const expected = { name: "StoreUnavailableError", mayBeStored };
      await assert.rejects(async () => await store.create(PET), expected, what);
      proxy.replace("", "");
      await untilAnswered(async () => assert.ok(await store.get(BigInt(id))));
    }
  },
);

/** Messages of the server: it lets the client in, or demands a login by GSSAPI, which the driver does not know. */
const WELCOME = "R\0\0\0\x08\0\0\0\0", GSSAPI = "R\0\0\0\x08\0\0\0\x07";

/** The end of a login or a result, and the description of the one column of a pet. */
const READY = "Z\0\0\0\x05I";
const COLUMN = "T\0\0\0\x1f\0\x01concat\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0";

/** What PgBouncer made of a description whose connection ended after its first bytes. */
const CUT_COLUMN = "T\0\0\0\x1f\x0eE\0\0\0)SFATAL\0C08P01\0Mserver ";

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
    const faults = [[READY, READY + errorMessage("FATAL", "57P01")], [COLUMN, CUT_COLUMN], [WELCOME, GSSAPI]] as const;
    for (const [from, to] of faults) {
      proxy.replace(from, to);
      // The first read ends the connection, so that there is another login.
      proxy.follow([{ side: "client", bytes: 1, effect: "end" }]);
      for (let reads = 0; reads < 5; reads++) await isAnswered(store.get(1n));
      proxy.replace("", "");
      await untilAnswered(async () => assert.match(String(await store.get(1n)), /Rex/));
    }
    removeEventListener("error", onError);
    assert.deepEqual(uncaught, []);
  },
);
