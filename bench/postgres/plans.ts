/** PostgreSQL's reads of a large table: the index, its pages and the time. */

import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { DEFAULT_SCHEMA } from "../../lib/stores/postgres/client/client.ts";
import { statementsFor } from "../../lib/stores/postgres/statements.ts";
import { DRIVERS, runSql } from "../../tests/support/postgres/postgres.ts";
import { type Row, spreadOf } from "../row.ts";

/** One pet in this number has the rare status. */
const RARE = 1_000_000;
/** Executions of each read. */
const TIMES = 51;
/** A page of 20, and one row that shows whether there is a next page. */
const LIMIT = "21";

/** PostgreSQL's work for a read. */
export interface Plan {
  title: string;
  /** The index that it used. */
  index: string;
  /** Pages of 8 KiB that it read. */
  buffers: number;
  milliseconds: number;
}

/** Fills a table and explains every read of the store. */
export async function measurePlans(url: string, pets: number): Promise<{ rows: Row[]; plans: Plan[] }> {
  await fillTable(
    url,
    `TRUNCATE petstore.pets;
     INSERT INTO petstore.pets (id, category_id, status, name)
     SELECT i, i % 1000, CASE WHEN i % ${RARE} = 0 THEN 2 ELSE i % 2 END, substr(md5(i::text), 1, 12)
     FROM generate_series(1, ${pets}) AS i`,
  );
  const { pet, all, ofStatus } = statementsFor(DEFAULT_SCHEMA);
  const reads: [title: string, statement: string, values: string[]][] = [
    ["GET one", pet, [String(pets >> 1)]],
    ["first page", all, ["0", LIMIT]],
    ["page in the middle", all, [String(pets >> 1), LIMIT]],
    ["last page", all, [String(pets - 20), LIMIT]],
    ["first page of a rare status, one in a million", ofStatus, ["0", LIMIT, "2"]],
    ["last page of the rare status", ofStatus, [String(pets - RARE), LIMIT, "2"]],
    ["page in the middle of a frequent status", ofStatus, [String(pets >> 1), LIMIT, "0"]],
  ];
  const plans: Plan[] = [];
  for (const [title, statement, values] of reads) plans.push(await explain(url, title, statement, values));
  const times = plans.filter(({ title }) => title.includes("page")).map(({ milliseconds }) => milliseconds);
  const [[bytes] = []] = await runSql(url, `SELECT pg_total_relation_size('petstore.pets')::float8 / ${pets}`);
  return {
    plans,
    rows: [
      {
        name: "scale",
        title: `${pets.toLocaleString("en")} pets`,
        subject: "slowest page",
        base: "fastest page",
        unit: "×",
        figure: spreadOf([Math.max(...times) / Math.min(...times)]),
        notes: ["of six, by PostgreSQL's clock; the rare pets are in blocks of their own"],
      },
      {
        name: "size",
        title: `${pets.toLocaleString("en")} pets`,
        subject: "a pet with its indexes",
        unit: "bytes",
        figure: spreadOf([Number(bytes)]),
        notes: [],
      },
    ],
  };
}

/** Creates the tables if they are missing, and runs an INSERT. */
export async function fillTable(url: string, insert: string): Promise<void> {
  await DRIVERS[0]!.use(url, async (client) => (await createPostgresStore(client)).close());
  await runSql(url, insert);
  await runSql(url, "VACUUM ANALYZE petstore.pets");
}

/** Explains a prepared statement with its generic plan, which a connection uses after a few executions. */
async function explain(url: string, title: string, statement: string, values: string[]): Promise<Plan> {
  const prepare = `SET plan_cache_mode = force_generic_plan; PREPARE p AS ${statement};`;
  const execute = `EXECUTE p(${values.join(", ")});`;
  const times: number[] = [];
  let text = "";
  for (let i = 0; i < TIMES; i++) {
    // The first executions of a new process take ten times as long.
    const lines = await runSql(url, `${prepare} ${execute.repeat(3)} EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${execute}`);
    text = lines.flat(2).join("\n");
    times.push(Number(/Execution Time: ([\d.]+) ms/.exec(text)?.[1]));
  }
  const [, index = "", rows = ""] = /Index Scan using (\w+) on pets.* rows=([\d.]+)/.exec(text) ?? [];
  if (index === "" || /Seq Scan|Bitmap|Sort/.test(text)) {
    throw new Error(`${title} does not use an index: ${text}`);
  }
  if (Number(rows) > Number(LIMIT)) throw new Error(`${title} has read ${rows} rows: ${text}`);
  const [, hit = "0", read = "0"] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(text) ?? [];
  return { title, index, buffers: Number(hit) + Number(read), milliseconds: spreadOf(times).median };
}
