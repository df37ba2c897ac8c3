import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../lib/server/store/open_postgres.ts";
import { driverOptions } from "../../lib/server/store/postgres_options.ts";
import { readStoreSetting } from "../../lib/server/store/open_store.ts";
import { POSTGRES_VARIABLES, readPostgresUrl } from "../../lib/server/store/postgres_url.ts";
import { SettingError } from "../../lib/server/process/start_error.ts";

const read = (url: string, env: Record<string, string> = {}) => readPostgresUrl(url, (name) => env[name]);

const VALUES: Record<keyof typeof POSTGRES_VARIABLES, string> = {
  host: "db.example,10.0.0.2",
  port: "6000,6001",
  dbname: "pets",
  user: "rex",
  password: "hunter2",
  sslmode: "require",
  sslrootcert: "/etc/ca.pem",
  connect_timeout: "7",
  target_session_attrs: "read-write",
  application_name: "test",
  options: "-c geqo=off",
};

test("a variable of PostgreSQL has the same effect as its parameter, which wins over it", () => {
  for (const [parameter, variable] of Object.entries(POSTGRES_VARIABLES)) {
    const value = VALUES[parameter as keyof typeof VALUES];
    const byVariable = read("postgres://", { [variable]: value });
    const byParameter = read(`postgres://?${parameter}=${encodeURIComponent(value)}`, { [variable]: "1" });
    assert.deepEqual(byVariable, byParameter, parameter);
    assert.notDeepEqual(byVariable, read("postgres://"), parameter);
    assert.deepEqual(read("postgres://", { [variable]: "" }), read("postgres://"), parameter);
  }
});

test("an address holds user, password, several hosts and a database", () => {
  const { user, password, hosts, database } = read("postgresql://r%40x:p:q%2F@[::1],db:6000/p%20s?port=7000");
  assert.deepEqual([user, password, database], ["r@x", "p:q/", "p s"]);
  assert.deepEqual(hosts, [{ name: "::1", port: 7000 }, { name: "db", port: 6000 }]);
});

test("without an address of its own, the store is the user's database on this machine", () => {
  const { hosts, user, database } = read("postgres://", { PGUSER: "rex" });
  assert.deepEqual([hosts, user, database], [[{ name: "localhost", port: 5432 }], "rex", "rex"]);
});

test("the system's certificates require a check of the host name", () => {
  assert.equal(read("postgres://?sslrootcert=system").sslmode, "verify-full");
  assert.throws(() => read("postgres://?sslrootcert=system&sslmode=require"), /requires sslmode=verify-full/);
});

for (
  const [url, reason] of [
    ["postgres://u:hunter2@a/b/c", /form postgres:\/\/user:password@host/],
    ["postgres://u:hunter2@/run/socket", /form/],
    ["postgres://u:hunter2@a_b!/pets", /a host must be a name/],
    ["postgres://u:hunter2@a:0/pets", /port must be a whole number from 1 to 65535/],
    ["postgres://u:hunter2%@a/pets", /a % must be followed/],
    ["postgres://u:hunter2@a/pets?poolsize=2", /unknown parameter; known are host, .*pool_size/],
    ["postgres://u:hunter2@a/pets?pool_size=0", /pool_size must be a whole number from 1/],
    ["postgres://u:hunter2@a/pets?prepare=no", /prepare must be one of true, false/],
    ["postgres://u:hunter2@a/pets?target_session_attrs=standby", /target_session_attrs must be one of any, read-write/],
    ["postgres://u:hunter2@a/pets?sslmode=on", /sslmode must be one of disable/],
  ] as const
) {
  test(`the address ${url} is refused with its mistake and without its password`, () => {
    assert.throws(() => read(url), (error) => {
      assert.ok(error instanceof SettingError);
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });
}

test("a store is described without the password and the parameters", async () => {
  const address = "postgres://u:hunter2@a,[::1]:6000/pets?schema=zoo";
  const { description } = await readStoreSetting(address, () => undefined, "");
  assert.equal(description, "postgres://u@a:5432,[::1]:6000/pets (schema zoo)");
});

test("connections to PostgreSQL that are opened together expire at different times, after 30 to 60 minutes", () => {
  // The driver asks once for each connection.
  const lifetime = driverOptions(read("postgres://localhost/pets"))["max_lifetime"] as () => number;
  const taken = Array.from({ length: 20 }, lifetime);
  assert.equal(new Set(taken).size, 20);
  assert.ok(taken.every((seconds) => seconds >= 30 * 60 && seconds <= 60 * 60), taken.join());
});

test("each of several hosts gets less time to answer than a single host, unless the address says otherwise", () => {
  assert.equal(read("postgres://a/pets").connectTimeout, 5);
  assert.equal(read("postgres://a,b/pets").connectTimeout, 2);
  assert.equal(read("postgres://a,b/pets?connect_timeout=7").connectTimeout, 7);
});

test("a driver that is missing is reported with the command that installs it", async () => {
  for (
    const [driver, command] of [["postgres-gone", "npm install postgres-gone@3"], [
      "npm:@",
      "deno cache --no-config npm:@",
    ]]
  ) {
    await assert.rejects(openPostgres(read("postgres://a/pets"), driver!), (error) => {
      assert.ok(error instanceof SettingError);
      assert.ok(error.message.startsWith("The PostgreSQL driver cannot be loaded: "), error.message);
      assert.ok(error.message.endsWith(`; install it by ${command}`), error.message);
      return true;
    });
  }
});
