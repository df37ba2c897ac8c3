/** Statements that fail in the middle of a result, on every way to PostgreSQL: each response is right, or 503. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createPostgresStore } from "../../mod.ts";
import { createPetstore } from "@petstore/petstore";
import { type Cluster, runAs, startAgain, whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { NO_PGBOUNCER, withPooler } from "../../../../tests/support/postgres/pgbouncer.ts";
import { runSql, withPool } from "../../../../tests/support/postgres/postgres.ts";
import { type Asked, KEY, onStore, untilAnswered, withCluster } from "../../../../tests/support/postgres/servers.ts";
import { withFreshServer } from "../../../../tests/support/server/server_process.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";
import { until } from "../../../../tests/support/until.ts";

/** How many reads each fault must hit before the next. */
const HITS = 5;
const PETS = 300;
const NAME = "é".repeat(200);
const pet = (id: number) => `{"id":${id},"name":"${NAME}","categoryId":${id},"status":"available"}`;
const PAGE = `[${Array.from({ length: 100 }, (_, i) => pet(i + 1)).join(",")}]`;

/** Reads of pet 60 sometimes sleep: PostgreSQL has then sent the pets before it. */
const SLOW = `ALTER TABLE petstore.pets RENAME TO all_pets;
CREATE FUNCTION petstore.pause() RETURNS boolean LANGUAGE sql VOLATILE AS
  $$ SELECT CASE WHEN random() < 0.2 THEN pg_sleep(0.5) IS NOT NULL ELSE true END $$;
CREATE VIEW petstore.pets AS SELECT * FROM petstore.all_pets WHERE id <> 60 OR petstore.pause();
INSERT INTO petstore.all_pets (id, category_id, status, name)
  SELECT nextval('petstore.pet_ids'), n, 0, '${NAME}' FROM generate_series(1, ${PETS}) AS n;
ALTER DATABASE postgres SET statement_timeout = '`;

/** Reads that sleep, and one in three of the creates. */
const hit = (call: string) =>
  `SELECT ${call}(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
    AND (wait_event = 'PgSleep' OR state = 'active' AND query LIKE '%add_pets%' AND random() < 0.3)`;

const sql = (text: string) => async (_: Cluster, url: string) => void await runSql(url, text);

/** What to do, again and again, until enough requests were hit. */
const FAULTS: Record<string, (cluster: Cluster, url: string) => Promise<void>> = {
  "pg_cancel_backend()": sql(hit("pg_cancel_backend")),
  "pg_terminate_backend()": sql(hit("pg_terminate_backend")),
  "an immediate stop": async (cluster, url) => {
    await until(
      "a read that sleeps",
      async () =>
        Number((await runSql(url, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`))[0]?.[0]) > 0,
    );
    runAs(cluster, "pg_ctl", ["-D", `${cluster.folder}/data`, "-m", "immediate", "stop"]);
    startAgain(cluster);
  },
  "statement_timeout": async ({ folder }, url) => {
    await runSql(url, "ALTER DATABASE postgres SET statement_timeout = '200ms'");
    // New sessions have it, so the others end first.
    await runSql(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' " +
        "AND pid <> pg_backend_pid()",
    );
    const count = () => readFileSync(`${folder}/log`, "utf8").split("due to statement timeout").length;
    await until("statements that time out", () => count() > HITS);
  },
};

type Use = (asked: Asked) => Promise<void>;

const inProcess = (prepare = true) => (url: string, use: Use) =>
  withPool(url, async (pool) => {
    await using store = await createPostgresStore(pool, { prepare, timeoutMs: 5000 });
    const { handle } = createPetstore({ store, keys: [KEY], onError: () => {} });
    await use({
      async ask(path, key, init = {}) {
        const headers = { ...init.headers as Record<string, string>, authorization: `Bearer ${key}` };
        const response = await handle(new Request(`http://localhost${path}`, { ...init, headers }));
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
    });
  });
const server = (url: string, use: Use) => withFreshServer(onStore(url, "--log=off"), use);

/** The ways from a request to PostgreSQL. */
const WAYS: Record<string, (url: string, use: Use) => Promise<void>> = {
  "a pool of the app": inProcess(),
  "a pool of the app behind PgBouncer": (url, use) => withPooler(url, (pooler) => inProcess(false)(pooler, use)),
  "a server": server,
  "a server behind PgBouncer": (url, use) => withPooler(url, (pooler) => server(`${pooler}?prepare=false`, use)),
};

/** Clients that read and create until they are told to stop, and what they must see. */
class Clients {
  /** How many reads and creates got 503. */
  hits = { reads: 0, creates: 0 };
  /** How often each refused and each acknowledged name may be stored. */
  readonly names = new Map<string, readonly number[]>();
  isDone = false;
  readonly #asked: Asked;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  async run(): Promise<void> {
    const id = () => 1 + Math.floor(Math.random() * PETS);
    const loops: (() => Promise<void>)[] = [
      ...Array.from({ length: 8 }, () => () => this.#read("/v1/pets?limit=100", PAGE)),
      ...Array.from({ length: 4 }, () => () => this.#readPet(id())),
      ...Array.from({ length: 3 }, () => () => this.#create()),
    ];
    await Promise.all(loops.map(async (step) => {
      while (!this.isDone) await step();
    })).finally(() => this.isDone = true);
  }

  #readPet(id: number): Promise<void> {
    return this.#read(`/v1/pets/${id}`, pet(id));
  }

  async #read(path: string, wanted: string): Promise<void> {
    const { status, text } = await this.#asked.ask(path, KEY);
    if (status === 503) return this.#count("reads");
    assert.equal(status, 200, text);
    assert.ok(text === wanted, `${path}: ${text.slice(0, 200)}`);
  }

  async #create(): Promise<void> {
    const name = crypto.randomUUID();
    const body = JSON.stringify({ name, categoryId: 7 });
    const headers = { "content-type": "application/json" };
    const { status, text } = await this.#asked.ask("/v1/pets", KEY, { method: "POST", headers, body });
    if (status === 503) this.#count("creates");
    else assert.equal(status, 201, text);
    this.names.set(name, status === 201 ? [1] : /may have been stored/.test(text) ? [0, 1] : [0]);
  }

  #count(kind: keyof Clients["hits"]): void {
    this.hits[kind]++;
  }
}

async function assertStored(url: string, names: Clients["names"]): Promise<void> {
  const rows = await runSql(url, `SELECT name, count(*) FROM petstore.all_pets WHERE id > ${PETS} GROUP BY name`);
  const stored = new Map(rows.map(([name, count]) => [name!, Number(count)]));
  for (const [name, counts] of names) {
    assert.ok(counts.includes(stored.get(name) ?? 0), `${name} is there ${stored.get(name)} times, not ${counts}`);
  }
}

function tryFaults(open: typeof WAYS[string]): Promise<void> {
  return withCluster((cluster, url) =>
    open(url, async (asked) => {
      await runSql(url, `${SLOW}0'`);
      for (const [fault, cause] of Object.entries(FAULTS)) {
        const clients = new Clients(asked);
        const running = clients.run();
        await Promise.race([
          running,
          until(`enough that were hit by ${fault}`, async () => {
            await cause(cluster, url);
            return clients.hits.reads >= HITS;
          }),
        ]).finally(() => clients.isDone = true);
        await running;
        await assertStored(url, clients.names);
        await untilAnswered(asked, "/v1/pets/1", 200);
      }
    })
  );
}

for (const pooler of ["", " behind PgBouncer"]) {
  const test = testUnless(whyNoCluster() || (pooler !== "" && NO_PGBOUNCER));
  test(`results that fail in the middle make no response wrong, and a 503 says whether the pet may be there${pooler}`, async () => {
    const ways = Object.entries(WAYS).filter(([way]) => way.includes("PgBouncer") === (pooler !== ""));
    // At the same time, because each mostly waits.
    const runs = ways.map(async ([way, open]) => {
      try {
        await tryFaults(open);
      } catch (cause) {
        throw new Error(`${way}: ${cause}`, { cause });
      }
    });
    await Promise.all(runs);
  });
}
