/** Files that earlier releases have made. */

import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { EARLIER_MARK } from "../../../lib/stores/earlier_requests.ts";
import { SCHEMA_VERSION } from "../../../lib/stores/sqlite/schema.ts";
import { assertRemembered, type Earlier, looksUpEarlier, repeat, SQLITE_FILES } from "../../support/earlier/earlier.ts";
import type { SqliteStore } from "../../../lib/stores/sqlite/store.ts";
import { execute, query, REX, test, usingStore, withPath } from "./support.ts";

function copyEarlier({ file }: Earlier, path: string): void {
  copyFileSync(new URL(`../../support/earlier/${file}`, import.meta.url), path);
}

for (const each of SQLITE_FILES) {
  test.path(`a request that ${each.file} remembers gets its pet again, after the upgrade and each later start`, async (path) => {
    copyEarlier(each, path);
    for (let start = 0; start < 2; start++) {
      await usingStore(path, (store) => assertRemembered(store, each));
      assert.deepEqual(query(path, "PRAGMA user_version"), [{ user_version: SCHEMA_VERSION }]);
    }
    execute(path, `UPDATE idempotency_keys SET expires_at = 1 WHERE key <> '${EARLIER_MARK}'`);
    await usingStore(path, async (store) => {
      for (const { key, fingerprint } of query(path, "SELECT key, fingerprint FROM idempotency_keys")) {
        const request = { key: "new", earlierKey: String(key), fingerprint: String(fingerprint), retentionMs: 0 };
        if (key !== EARLIER_MARK) assert.equal((await store.createOnce(REX, request)).outcome, "created");
      }
    });
    execute(path, "UPDATE idempotency_keys SET expires_at = 1");
    await usingStore(path, (store) => assert.ok(!looksUpEarlier(store)));
  });
}

const DAY = 86_400_000;

/** The transaction of a release before 0.2.0 for a create with a key, which deletes what has expired. */
function createAsEarlier(path: string, request: Record<string, unknown> | undefined, now: number): void {
  execute(
    path,
    `BEGIN IMMEDIATE;
    INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 0);
    INSERT OR REPLACE INTO idempotency_keys (key, fingerprint, pet_id, expires_at)
      VALUES ('${request?.["key"]}', '${request?.["fingerprint"]}', last_insert_rowid(), ${now + DAY});
    DELETE FROM idempotency_keys WHERE key IN
      (SELECT key FROM idempotency_keys WHERE expires_at <= ${now} ORDER BY expires_at LIMIT 2);
    COMMIT`,
  );
}

/** Runs `use` with a file of an earlier release without pets and requests, and with a request that the file had. */
async function withEmptied(each: Earlier, use: (path: string, request?: Record<string, unknown>) => Promise<void>) {
  await withPath(async (path) => {
    copyEarlier(each, path);
    const [request] = query(path, "SELECT key, fingerprint FROM idempotency_keys");
    execute(path, "DELETE FROM idempotency_keys; DELETE FROM pets; DELETE FROM sqlite_sequence");
    await use(path, request);
  });
}

for (const each of SQLITE_FILES.filter(({ file }) => /_2|_by_key/.test(file))) {
  test(`a retry finds the request of a running server of ${each.file}, although none was remembered at the upgrade`, () =>
    withEmptied(each, async (path, request) => {
      await usingStore(path, async (store) => {
        createAsEarlier(path, request, Date.now());
        await assertRemembered(store, each);
      });
      await usingStore(path, (store) => assertRemembered(store, each));
      // The earlier server may continue for a day, and its requests are remembered for another one.
      const [mark] = query(path, `SELECT expires_at FROM idempotency_keys WHERE key = '${EARLIER_MARK}'`);
      assert.ok(Number(mark?.["expires_at"]) > Date.now() + 2 * DAY - 60_000);
    }));
}

test.each("an earlier server and this one make one pet of a request that both get at once, and of a retry at either", () =>
  withEmptied(SQLITE_FILES[0]!, (path, request) =>
    usingStore(path, async (store) => {
      assert.match(await repeat(store), /^201 null {"id":1,/);
      const { key, fingerprint } = request ?? {};
      assert.deepEqual(query(path, `SELECT fingerprint, pet_id FROM idempotency_keys WHERE key = '${key}'`), [{
        fingerprint,
        pet_id: 1,
      }]);
      execute(path, `DELETE FROM idempotency_keys WHERE key <> '${EARLIER_MARK}'`);
      const createOnce = store.createOnce.bind(store);
      store.createOnce = (...args) => {
        createAsEarlier(path, request, Date.now());
        return createOnce(...args);
      };
      assert.match(await repeat(store), /^201 true {"id":2,/);
    })));

test("what an earlier server creates after the upgrade is shown at once, and it sees each pet of the later one", () =>
  withEmptied(SQLITE_FILES[0]!, (path, request) =>
    usingStore(path, async (store: SqliteStore) => {
      const { additions, alterations } = { ...store.changes() };
      createAsEarlier(path, request, Date.now());
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual([store.changes().additions > additions, store.changes().alterations], [true, alterations]);
      assert.match(store.list({ after: 0n, limit: 1 }).json, /"id":1,"name":"Rex"/);
      assert.equal(await store.create(REX), 2n);
      createAsEarlier(path, request, Date.now());
      assert.deepEqual(query(path, "SELECT id FROM pets ORDER BY id"), [{ id: 1 }, { id: 2 }, { id: 3 }]);
    })));

test("a file whose version an earlier release has overwritten, because it started in the same instant, is used", () =>
  withEmptied(SQLITE_FILES[0]!, async (path, request) => {
    for (let start = 0; start < 2; start++) {
      await usingStore(path, (store) => store.create(REX));
      execute(path, "PRAGMA user_version = 2");
    }
    createAsEarlier(path, request, Date.now());
    await usingStore(path, (store) => {
      assert.equal(looksUpEarlier(store), true);
      assert.match(store.list({ after: 2n, limit: 1 }).json, /"id":3,"name":"Rex"/);
    });
    assert.deepEqual(query(path, "PRAGMA user_version"), [{ user_version: SCHEMA_VERSION }]);
  }));
