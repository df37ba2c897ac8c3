/** The address of a database, as a server is given it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress } from "../lib/address.ts";
import { readPostgresStore } from "../../../lib/server/settings/store_setting.ts";
import { SettingError } from "../../../lib/server/process/start_error.ts";

/** Addresses, with what pg and the store get of them, and how a message names the database. */
const VALID: [address: string, wanted: Record<string, unknown>, description: string][] = [
  [
    "postgres://rex:hunter2@db.example:6432/pets?schema=shop&pool_size=3&prepare=false&connect_timeout=7",
    {
      host: "db.example",
      port: 6432,
      user: "rex",
      password: "hunter2",
      database: "pets",
      max: 3,
      connectionTimeoutMillis: 7000,
      schema: "shop",
      prepare: false,
    },
    "postgres://rex@db.example:6432/pets (schema shop)",
  ],
  // A host and a port in the parameters replace those before the path, as in libpq.
  ["postgres://rex:hunter2@/pets?host=/cloudsql/a:b", { host: "/cloudsql/a:b" }, "postgres://rex@/cloudsql/a:b/pets"],
  [
    "postgres://one:5432/pets?host=two&port=6432",
    { host: "two", port: 6432, password: "other" },
    "postgres://two:6432/pets",
  ],
  ["postgres://h/d?sslmode=verify-full&channel_binding=prefer", { host: "h" }, "postgres://h/d"],
];

test("an address has a connection for pg, the store's own parameters, and a description without the password", () => {
  for (const [address, wanted, says] of VALID) {
    const { pool, description, options } = readAddress(address, "other");
    const target: Record<string, unknown> = { ...pool, ...options };
    for (const [name, value] of Object.entries(wanted)) assert.equal(target[name], value, `${name} of ${address}`);
    assert.equal(description, says);
  }
});

const ENCODED = /percent-encoded, such as %2F for a slash$/;

/** Addresses that are refused, and what the message says, which never has the password hunter2. */
const INVALID: [address: string, says: RegExp][] = [
  ["postgres://rex:12/hunter2@h/d", ENCODED],
  ["postgres://rex:12#hunter2@h/d", ENCODED],
  ["postgres://rex:12?hunter2@h/d", ENCODED],
  ["postgres://h/d?schmea=hunter2", /has the parameter schmea, which pg does not have; known are .*schema/],
  ["postgres://h/d?channel_binding=require", /channel_binding, which pg cannot promise, must be one of disable, pre/],
  ["postgres://h/d?pool_size=hunter2", /pool_size must be a whole number from 1 to 10000/],
  ["postgres://rex:hunter2@h/d?schema=Shop", /The schema of a PostgreSQL store must be .*, not "Shop"$/],
  ["postgres://h/d?sslmode=hunter2", /sslmode, or PGSSLMODE, must be one of disable, /],
  ["postgres://h/d?sslmode=verify-full&sslrootcert=/no/hunter2", /certificates cannot be read \(ENOENT\)/],
];

test("an invalid address is refused by a message without its password", async () => {
  for (const [address, says] of INVALID) {
    await assert.rejects(readPostgresStore(address, () => undefined), (error: Error) => {
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /hunter2/);
      return error instanceof SettingError;
    });
  }
});

test("the certificate authorities of the system mean verify-full, and a weaker mode beside them is refused", () => {
  const { ssl } = readAddress("postgres://h/d?sslmode=verify-full").pool;
  assert.ok(ssl);
  assert.deepEqual(readAddress("postgres://h/d?sslrootcert=system").pool.ssl, ssl);
  assert.throws(() => readAddress("postgres://h/d?sslrootcert=system&sslmode=require"), /must be one of verify-full$/);
});
