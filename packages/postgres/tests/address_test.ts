/** The address of a database, as a server is given it. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { readAddress } from "../lib/address.ts";
import { readPostgresStore } from "../../../lib/server/store_setting/postgres.ts";
import { SettingError } from "../../../lib/server/process/start_error.ts";

test("an address has a connection for pg, and the store's own parameters", () => {
  const { pool, schema, prepare, description } = readAddress(
    "postgres://rex:hunter2@db.example:6432/pets?schema=shop&pool_size=3&prepare=false&connect_timeout=7",
  );
  const { host, port, user, password, database, max, connectionTimeoutMillis } = pool;
  assert.deepEqual({ host, port, user, password, database }, {
    host: "db.example",
    port: 6432,
    user: "rex",
    password: "hunter2",
    database: "pets",
  });
  assert.deepEqual([max, connectionTimeoutMillis, schema, prepare], [3, 7000, "shop", false]);
  assert.equal(description, "postgres://rex@db.example:6432/pets (schema shop)");
});

/** Addresses of one database, with the host and the port that pg gets, and how a message names them, as in libpq. */
const HOSTS: [address: string, host: string, port: number | undefined, description: string][] = [
  [
    "postgres://rex:hunter2@localhost/pets?host=/cloudsql/a:b",
    "/cloudsql/a:b",
    undefined,
    "postgres://rex@/pets?host=/cloudsql/a:b",
  ],
  [
    "postgres://rex:hunter2@/pets?host=/cloudsql/a:b",
    "/cloudsql/a:b",
    undefined,
    "postgres://rex@/pets?host=/cloudsql/a:b",
  ],
  ["postgres://rex@one:5432/pets?host=two&port=6432", "two", 6432, "postgres://rex@/pets?host=two&port=6432"],
  ["postgres://rex@one/pets?port=6432", "one", 6432, "postgres://rex@one/pets?port=6432"],
];

test("a host and a port in the parameters replace those before the path", () => {
  for (const [address, host, port, says] of HOSTS) {
    const { pool, description } = readAddress(address);
    assert.deepEqual([pool["host"], pool["port"] && Number(pool["port"]), pool["database"]], [host, port, "pets"]);
    assert.equal(description, says);
  }
});

/** Restores a variable after `use`. */
function withVariable(name: string, use: () => void): void {
  const before = process.env[name];
  try {
    use();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

test("a PGSSLMODE that pg would take for none is refused, unless the address has its own", () =>
  withVariable("PGSSLMODE", () => {
    for (const mode of ["VERIFY-FULL", "verify_full", " verify-full", "true"]) {
      process.env["PGSSLMODE"] = mode;
      assert.throws(() => readAddress("postgres://h/d"), /PGSSLMODE must be one of disable, /);
      readAddress("postgres://h/d?sslmode=require");
    }
    process.env["PGSSLMODE"] = "verify-full";
    readAddress("postgres://h/d");
  }));

test("the certificate authorities of the system mean verify-full, in the address and in PGSSLROOTCERT", () =>
  withVariable("PGSSLROOTCERT", () => {
    const verified = readAddress("postgres://h/d?sslmode=verify-full").pool;
    assert.ok(verified["ssl"]);
    const addresses = ["postgres://h/d?sslrootcert=system", "postgres://h/d?sslrootcert=system&sslmode=verify-full"];
    const sslOf = (address: string) => readAddress(address).pool["ssl"];
    for (const address of addresses) assert.deepEqual(sslOf(address), verified["ssl"]);
    const weak = /PGSSLROOTCERT=system, needs sslmode=verify-full$/;
    assert.throws(() => sslOf("postgres://h/d?sslrootcert=system&sslmode=require"), weak);
    process.env["PGSSLROOTCERT"] = "system";
    assert.deepEqual(sslOf("postgres://h/d"), verified["ssl"]);
    assert.throws(() => sslOf("postgres://h/d?sslmode=disable"), weak);
  }));

test("channel_binding may be what pg does", () => {
  for (const value of ["disable", "prefer"]) {
    assert.equal(
      "channel_binding" in readAddress(`postgres://h/d?sslmode=require&channel_binding=${value}`).pool,
      false,
    );
  }
});

const ENCODED = /percent-encoded, such as %2F for a slash$/;

/** Addresses that are refused, and what the message says, which never has the password hunter2. */
const INVALID: [address: string, says: RegExp][] = [
  ["postgres://hunter2@h:port/d", /must have the form postgres:/],
  ["postgres://rex:ab/hunter2@h/d", ENCODED],
  ["postgres://rex:12/hunter2@h/d", ENCODED],
  ["postgres://rex:12#hunter2@h/d", ENCODED],
  ["postgres://rex:pw@1/hunter2@h:5432/d", ENCODED],
  ["postgres://rex:12/hunter2:x/d", ENCODED],
  ["postgres://rex:hunter2/x@1/x/d", ENCODED],
  ["postgres://rex:12/hunter2@/d?host=/run", ENCODED],
  ["postgres://rex:12?hunter2@h/d", /has an unknown parameter/],
  ["postgres://h/d?schmea=hunter2", /has an unknown parameter; known are .*schema$/],
  ["postgres://h/d?hostaddr=hunter2", /has the parameter hostaddr, which pg does not have; known are/],
  ["postgres://h/d?channel_binding=require", /channel_binding=require cannot be promised/],
  ["postgres://h/d?channel_binding=hunter2", /channel_binding must be one of disable, prefer/],
  ["postgres://h/d?pool_size=0", /pool_size must be a whole number from 1 to 10000/],
  ["postgres://h/d?pool_size=hunter2", /pool_size must be a whole number/],
  ["postgres://h/d?prepare=hunter2", /prepare must be one of true, false/],
  ["postgres://rex:hunter2@h/d?schema=Shop", /The schema of a PostgreSQL store must be .*, not "Shop"$/],
  ["postgres://h/d?connect_timeout=-1", /connect_timeout must be a whole number/],
  ["postgres://h/d?sslmode=verify-full&sslrootcert=/no/hunter2", /certificates cannot be read \(ENOENT\)/],
];

test("an invalid address is refused by a message without its password", async () => {
  for (const [address, says] of INVALID) {
    assert.throws(() => readAddress(address), (error: Error) => {
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /hunter2/);
      return error instanceof TypeError;
    });
    await assert.rejects(readPostgresStore(address, () => undefined), SettingError);
  }
});
