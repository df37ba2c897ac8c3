import assert from "node:assert/strict";
import { test } from "node:test";
import postgres from "postgres";
import { driverOptions } from "../../lib/server/store/postgres_options.ts";
import { readPostgresUrl } from "../../lib/server/store/postgres_url.ts";

const read = (url: string) => readPostgresUrl(url, () => undefined);

test("connections to PostgreSQL that are opened together expire at different times, after 30 to 60 minutes", () => {
  const options = driverOptions(read("postgres://localhost/pets?pool_size=20"));
  const lifetime = options["max_lifetime"] as () => number;
  const taken: number[] = [];
  // The driver asks once for each connection.
  postgres({
    ...options,
    max_lifetime() {
      taken.push(lifetime());
      return taken.at(-1);
    },
  } as unknown as postgres.Options<Record<string, never>>);
  assert.equal(taken.length, 20);
  assert.equal(new Set(taken).size, 20);
  assert.ok(taken.every((seconds) => seconds >= 30 * 60 && seconds <= 60 * 60), taken.join());
});

test("each of several hosts gets less time to answer than a single host, unless the address says otherwise", () => {
  assert.equal(read("postgres://a/pets").connectTimeout, 5);
  assert.equal(read("postgres://a,b/pets").connectTimeout, 2);
  assert.equal(read("postgres://a,b/pets?connect_timeout=7").connectTimeout, 7);
});
