/** Reads and creates through one, two and four servers on one database, compared with pgbench. */

import { runSql } from "../../tests/support/postgres/postgres.ts";
import { type Cluster, pidOf } from "../../tests/support/postgres/cluster.ts";
import { readFileSync } from "node:fs";
import type { ServerProcess } from "../../tests/support/server/server_process.ts";
import { NEW_PET, sample } from "../catalogue.ts";
import { type Load, load } from "../load/wrk.ts";
import { type Effort, inRounds } from "../rounds.ts";
import { type Floor, ratioOf, type Row, spreadOf } from "../row.ts";
import { fillTable } from "./plans.ts";
import { addScript, type Answers, pageScript, petScript, runPgbench, type Script } from "./pgbench.ts";
import { measureServers, type Port, startServers } from "./servers.ts";

const COUNTS = [1, 2, 4] as const;
/** Pets in the table at the start. */
const PETS = 100_000;
/** Clients of pgbench: reads have as many as a server's pool; with two, creates are fastest. */
export const READERS = 10, WRITERS = 2;
const CONNECTIONS = 64;

const GET_ONE = load(sample(1000, 1, PETS).map((id) => `/v1/pets/${id}`));
const LIST = load("/v1/pets");
export const POST = load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 });

/** Repeats an operation, and resolves to its rate a second. */
export type Measure = () => Promise<Answers>;

/** The rate a second, and the rate for each second of PostgreSQL's processor time. */
interface Measured {
  rate: number;
  efficiency: number;
}

/** The measurements of each contender, one for each round. */
type AllSeries = Readonly<Record<string, Measured[]>>;

interface Surroundings {
  cluster: Cluster;
  folder: string;
  effort: Effort;
  url: string;
  /** All servers on the database. */
  running: readonly ServerProcess[];
}

/** Measures everything in interleaved rounds. */
export async function measureThroughput(cluster: Cluster, folder: string, effort: Effort): Promise<Row[]> {
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
  await fillPets(url, PETS);
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

/** Fills the table anew. */
export async function fillPets(url: string, pets: number): Promise<void> {
  await fillTable(
    url,
    `TRUNCATE petstore.pets;
     ALTER SEQUENCE petstore.pet_ids RESTART;
     INSERT INTO petstore.pets SELECT nextval('petstore.pet_ids'), i % 1000, i % 3, 'Bartholomew'
     FROM generate_series(1, ${pets}) AS i`,
  );
}

async function measureReads(
  { cluster, folder, effort, running }: Surroundings,
  name: string,
  title: string,
  load: Load,
  script: Script,
): Promise<Row[]> {
  const bare: Measure = () => runPgbench(cluster, folder, script, READERS, effort.seconds);
  const series = await measureRounds(cluster, { ...serversUnder(load, running, effort), pgbench: bare }, effort);
  return rows({ name, title, base: "pgbench, 10 clients" }, series);
}

async function measureCreates({ cluster, folder, effort, url, running }: Surroundings): Promise<Row[]> {
  const { seconds } = effort;
  const [inMemory] = await startServers(folder, "memory:", 1);
  const { size, log } = await measureBatches(url, running, seconds);
  const batches = () => runPgbench(cluster, folder, addScript(size), WRITERS, seconds, size);
  const series = await measureRounds(cluster, {
    ...serversUnder(POST, running, effort),
    memory: () => measureServers(inMemory ? [inMemory] : [], POST, seconds),
    pgbench: batches,
    oneEach: () => runPgbench(cluster, folder, addScript(1), CONNECTIONS, seconds),
  }, effort);
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
    ratio(oneEach, series, "oneEach"),
    {
      name: "log",
      title,
      subject: "write-ahead log of a pet",
      unit: "bytes",
      figure: spreadOf([log]),
      notes: ["including full pages"],
    },
  ];
}

/** Measures one, two and four of the servers with a load. */
function serversUnder(load: Load, running: readonly ServerProcess[], { seconds }: Effort): Record<string, Measure> {
  const measures = COUNTS.map((count) => [count, () => measureServers(running.slice(0, count), load, seconds)]);
  return Object.fromEntries(measures);
}

export function measureRounds(
  cluster: Cluster,
  measures: Record<string, Measure>,
  { rounds }: Effort,
): Promise<AllSeries> {
  const measurements = Object.entries(measures).map(([name, measure]) => [name, async (): Promise<Measured> => {
    const before = processorTime(cluster);
    const { rate, count } = await measure();
    return { rate, efficiency: count / (processorTime(cluster) - before) };
  }]);
  return inRounds(Object.fromEntries(measurements), rounds);
}

/** A row for each number of servers. */
function rows(parts: Pick<Row, "name" | "title" | "base"> & { floor?: Floor }, series: AllSeries): Row[] {
  return COUNTS.map((count) =>
    ratio({ ...parts, subject: `${count} server${count === 1 ? "" : "s"}` }, series, String(count))
  );
}

/** A contender compared with pgbench, or with another. */
export function ratio(
  parts: Pick<Row, "name" | "title" | "subject" | "base"> & { floor?: Floor },
  series: AllSeries,
  contender: string,
  other = "pgbench",
): Row {
  const { [contender]: own = [], [other]: bare = [] } = series;
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

/** The pets in a statement of one server, for pgbench to send as many, and the log for each pet. */
export async function measureBatches(url: string, running: readonly Port[], seconds: number) {
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

/** PostgreSQL updates its counters after a second. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500));
}

/** The processor time of a cluster's processes so far, ended ones too, in seconds. */
function processorTime(cluster: Cluster): number {
  const pid = pidOf(cluster);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  // The main process last: it counts children that end meanwhile.
  const ticks = [...children, String(pid)].map((each) => {
    try {
      // user, system, and both of ended children; the name before them may contain spaces.
      const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 15) ?? [];
      return fields.reduce((sum, field) => sum + Number(field), 0);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}
