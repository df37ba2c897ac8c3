import assert from "node:assert/strict";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { until } from "../../../tests/support/until.ts";
import { PET, request, test } from "./support.ts";

test.store("a store deletes expired requests after the first one that it remembers", async (store, url, schema) => {
  const requests = `"${schema}".requests`;
  await runSql(url, `INSERT INTO ${requests} SELECT 'old' || i, 'f', i, i FROM generate_series(1, 1500) AS i`);
  const once = request("new");
  await store.createOnce!(PET, once);
  const left = async () => (await runSql(url, `SELECT key FROM ${requests}`)).flat();
  await until("one request is left", async () => (await left()).length === 1);
  assert.deepEqual(await left(), [once.key]);
});
