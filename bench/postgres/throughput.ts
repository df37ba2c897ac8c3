/** Reads and creates through one, two and four servers on one database, beside pgbench with the same statements. */

import { createPostgresStore } from "../../lib/stores/postgres/postgres_store.ts";
import { DRIVERS, runSql } from "../../tests/support/postgres/postgres.ts";
import { type Cluster, processorTime } from "../../tests/support/postgres/cluster.ts";
import type { ServerProcess } from "../../tests/support/server/server_process.ts";
import { NEW_PET, sample } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { type Floor, ratioOf, type Row, spreadOf } from "../row.ts";
import { addScript, pageScript, petScript, runPgbench, type Script } from "./pgbench.ts";
import { measureServers, startServers } from "./servers.ts";

const COUNTS = [1, 2, 4] as const;
/** Pets that are there when it begins. */
const PETS = 100_000;
/** As many as a server's pool has; and one at work while another is on its way, for pgbench to be as fast as it can. */
const READERS = 10, WRITERS = 2;
const CONNECTIONS = 64;

const GET_ONE = load(sample(1000, 1, PETS).map((id) => `/v1/pets/${id}`));
const LIST = load("/v1/pets");
const POST = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

/** Makes something happen on and on, and tells how often a second it did. */
type Measure = () => Promise<number>;

/** What one run measured: times a second, and times for each second of PostgreSQL's processor time. */
interface Measured {
  rate: number;
  efficiency: number;
}

/** The measurements of each contender, in the order of the rounds. */
type AllSeries = ReadonlyMap<string, Measured[]>;

/** How long it takes: rounds that count, and seconds for a contender in each. */
export interface Effort {
  rounds: number;
  seconds: number;
}

/** What is measured, and with what. */
interface Surroundings {
  cluster: Cluster;
  folder: string;
  effort: Effort;
  url: string;
  /** As many servers on the database as are ever asked at once. */
  running: readonly ServerProcess[];
}

/** Measures everything in interleaved rounds. */
export async function measureThroughput(cluster: Cluster, folder: string, effort: Effort): Promise<Row[]> {
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
  await fill(url);
  const running = await startServers(folder, url, Math.max(...COUNTS));
  try {
    const surroundings = { cluster, folder, effort, url, running };
    return [
      ...await measureReads(surroundings, "list", "List of 20", LIST, pageScript(20)),
      ...await measureReads(surroundings, "get", "GET one", GET_ONE, petScript(PETS)),
      ...await measureCreates(surroundings),
    ];
  } finally {
    for (const server of running) await server.stop();
  }
}

async function measureReads(
  { cluster, folder, effort, running }: Surroundings,
  name: string,
  title: string,
  load: Load,
  script: Script,
): Promise<Row[]> {
  const bare: Measure = () => runPgbench(cluster, folder, script, READERS, effort.seconds);
  const series = await measureRounds(cluster, [...serversUnder(load, running, effort), ["pgbench", bare]], effort);
  return rows({ name, title, base: "pgbench, 10 clients" }, series);
}

async function measureCreates({ cluster, folder, effort, url, running }: Surroundings): Promise<Row[]> {
  const { seconds } = effort;
  const [inMemory] = await startServers(folder, "memory:", 1);
  const { size, log } = await measureBatches(url, running, seconds);
  const batches = async () => size * await runPgbench(cluster, folder, addScript(size), WRITERS, seconds);
  const series = await measureRounds(cluster, [
    ...serversUnder(POST, running, effort),
    ["memory", () => measureServers(inMemory ? [inMemory] : [], POST, seconds)],
    ["pgbench", batches],
    ["one each", () => runPgbench(cluster, folder, addScript(1), CONNECTIONS, seconds)],
  ], effort);
  await inMemory?.stop();
  const title = `Durable POST, ${CONNECTIONS} connections a server`;
  const base = `pgbench, batches of ${size}`;
  const ofMemory = { name: "create", title, subject: "1 server", base: "one on the memory store" };
  const oneEach = {
    name: "create",
    title: "Commits of one pet each",
    subject: `pgbench, ${CONNECTIONS} clients`,
    base,
  };
  return [
    ...rows({ name: "create", title, base, floor: { bound: "at least", value: 0.7 } }, series),
    ratio(ofMemory, series, "1", "memory"),
    ratio(oneEach, series, "one each"),
    {
      name: "log",
      title,
      subject: "write-ahead log of a pet",
      unit: "bytes",
      figure: spreadOf([log]),
      notes: ["a full page now and then included"],
    },
  ];
}

/** One, two and four of the servers under a load. */
function serversUnder(load: Load, running: readonly ServerProcess[], { seconds }: Effort): [string, Measure][] {
  return COUNTS.map((count) => [`${count}`, () => measureServers(running.slice(0, count), load, seconds)]);
}

/** Interleaved; the first round warms up. */
async function measureRounds(
  cluster: Cluster,
  contenders: readonly (readonly [string, Measure])[],
  { rounds, seconds }: Effort,
): Promise<AllSeries> {
  const series = new Map<string, Measured[]>(contenders.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of contenders) {
      const before = processorTime(cluster);
      const rate = await measure();
      const efficiency = rate * seconds / (processorTime(cluster) - before);
      if (round > 0) series.get(name)?.push({ rate, efficiency });
    }
  }
  return series;
}

/** One row for each number of servers. */
function rows(parts: Pick<Row, "name" | "title" | "base"> & { floor?: Floor }, series: AllSeries): Row[] {
  return COUNTS.map((count) =>
    ratio({ ...parts, subject: `${count} server${count === 1 ? "" : "s"}` }, series, String(count))
  );
}

/** A contender against pgbench, or another. */
function ratio(
  parts: Pick<Row, "name" | "title" | "subject" | "base"> & { floor?: Floor },
  series: AllSeries,
  contender: string,
  other = "pgbench",
): Row {
  const [own = [], bare = []] = [series.get(contender), series.get(other)];
  const compare = (figure: (measured: Measured) => number) => ratioOf(own.map(figure), bare.map(figure));
  const [fast, limit] = [own, bare].map((measured) => Math.round(spreadOf(measured.map(({ rate }) => rate)).median));
  return {
    ...parts,
    unit: "×",
    figure: compare(({ rate }) => rate),
    ...other === "pgbench" && { byProcessorTime: compare(({ efficiency }) => efficiency) },
    notes: [`${fast} a second against ${limit}`],
  };
}

async function fill(url: string): Promise<void> {
  await DRIVERS[0]!.use(url, async (client) => (await createPostgresStore(client)).close());
  await runSql(
    url,
    `INSERT INTO petstore.pets SELECT nextval('petstore.pet_ids'), i % 1000, i % 3, 'Bartholomew'
    FROM generate_series(1, ${PETS}) AS i`,
  );
  await runSql(url, "VACUUM ANALYZE petstore.pets");
}

/** How many pets one server really sends in a statement, for pgbench to do the same, and what it logs for each. */
async function measureBatches(url: string, running: readonly ServerProcess[], seconds: number) {
  const read = async () => {
    await settled();
    const [row = []] = await runSql(
      url,
      `SELECT last_value, calls, pg_current_wal_lsn() - '0/0' FROM petstore.pet_ids, pg_stat_user_functions
       WHERE funcname = 'add_pets'`,
    );
    return row.map(Number);
  };
  await measureServers(running.slice(0, 1), POST, seconds);
  const [ids = 0, calls = 0, log = 0] = await read();
  await measureServers(running.slice(0, 1), POST, seconds);
  const [laterIds = 0, laterCalls = 0, laterLog = 0] = await read();
  const pets = laterIds - ids;
  return { size: Math.max(1, Math.round(pets / (laterCalls - calls))), log: (laterLog - log) / pets };
}

/** PostgreSQL's own counters are written a second late. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500));
}
