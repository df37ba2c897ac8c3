/** Servers with a network between them and PostgreSQL, beside pgbench, and Fastify with node-postgres, over the same network. */

import { runSql } from "../../tests/support/postgres/postgres.ts";
import type { Cluster } from "../../tests/support/postgres/cluster.ts";
import { sample } from "../catalogue.ts";
import { DelayProxy } from "../load/delay_proxy.ts";
import { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkBodies, readResponses } from "../responses.ts";
import type { Effort } from "../rounds.ts";
import { type Row, spreadOf } from "../row.ts";
import type { FastifyPgSettings } from "../servers/fastify_pg.ts";
import { linkTo } from "../servers/peer_pages.ts";
import { addScript, anyPageScript, petScript, runPgbench, type Script } from "./pgbench.ts";
import { measureServers, type Port, startServers } from "./servers.ts";
import { fillPets, type Measure, measureBatches, measureRounds, POST, ratio, READERS, WRITERS } from "./throughput.ts";

/** How much longer a round trip takes, in milliseconds. */
const ROUND_TRIPS = [0, 0.5, 2];
/** The connections of a server. The first is the default of both, and others are measured at the longest round trip. */
const POOLS = [10, 40];
const LIMIT = 20;
/** Few: the first reads of a new process of PostgreSQL take long, and the longer, the larger the table. */
const PETS = 5000;

const GET_ONE = load(sample(1000, 1, PETS).map((id) => `/v1/pets/${id}`));
const PAGES = load(sample(1000, 1, PETS - LIMIT).map((id) => /<(.*)>/.exec(linkTo(id, LIMIT, undefined))![1]!));

const PEER_TABLE = `CREATE TABLE peer_pets (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL, category_id integer NOT NULL, status text NOT NULL);
  INSERT INTO peer_pets (name, category_id, status)
    SELECT name, category_id, (ARRAY['available', 'pending', 'sold'])[status + 1] FROM petstore.pets ORDER BY id;
  ANALYZE peer_pets`;

interface Contender {
  pool: number;
  /** Four for the default pool. */
  servers: readonly Port[];
  peer: Port;
}

/** What is measured over a network. */
interface Question {
  title: string;
  load: Load;
  script: Script;
  /** Of pgbench. */
  clients: number;
  /** Of a statement of pgbench. */
  pets: number;
}

interface Surroundings {
  /** At the other end of the network. */
  cluster: Cluster;
  folder: string;
  effort: Effort;
  contenders: readonly Contender[];
}

export async function measureNetwork(cluster: Cluster, folder: string, effort: Effort): Promise<Row[]> {
  const url = `postgres://postgres@127.0.0.1:${cluster.port}/postgres`;
  await fillPets(url, PETS);
  await runSql(url, PEER_TABLE);
  await using network = await DelayProxy.start(folder, cluster.port);
  await using running = new AsyncDisposableStack();
  const far = { ...cluster, port: network.port };
  const contenders = await startContenders(folder, far.port, running);
  const surroundings = { cluster: far, folder, effort, contenders };
  const rows: Row[] = [];
  for (const roundTrip of ROUND_TRIPS) {
    await network.setRoundTrip(roundTrip);
    rows.push(await measureRoundTrip(surroundings, title(roundTrip)));
    const { size } = await measureBatches(url, contenders[0]!.servers, effort.seconds);
    const questions: Question[] = [
      { title: "GET one", load: GET_ONE, script: petScript(PETS), clients: READERS, pets: 1 },
      { title: "Any page of 20", load: PAGES, script: anyPageScript(LIMIT, PETS), clients: READERS, pets: 1 },
      { title: "Durable POST", load: POST, script: addScript(size), clients: WRITERS, pets: size },
    ];
    for (const each of questions) {
      const isLongest = roundTrip === ROUND_TRIPS.at(-1);
      rows.push(...await measureQuestion(surroundings, { ...each, title: title(roundTrip, each.title) }, isLongest));
    }
  }
  return rows;
}

function title(roundTrip: number, what = "A statement"): string {
  return `${what}, ${roundTrip} ms`;
}

/** With their bodies compared. */
async function startContenders(folder: string, port: number, running: AsyncDisposableStack): Promise<Contender[]> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const contenders: Contender[] = [];
  for (const pool of POOLS) {
    const servers = await startServers(folder, `${url}?pool_size=${pool}`, pool === POOLS[0] ? 4 : 1);
    for (const server of servers) running.use(server);
    const settings: FastifyPgSettings = { url, max: pool };
    // On all cores, like the servers.
    const core = `0-${navigator.hardwareConcurrency - 1}`;
    const peer = running.use(
      await ServerProcess.start({ runtime: "Node", script: "fastify_pg.ts", settings, core }),
    );
    for (const load of [GET_ONE, PAGES]) {
      const few = { ...load, paths: load.paths.slice(0, 5) };
      for (const server of servers) await checkBodies(peer, few, await readResponses(server, few));
    }
    contenders.push({ pool, servers, peer });
  }
  return contenders;
}

/** Shows that the network is as slow as it should be. */
async function measureRoundTrip({ cluster, folder, effort }: Surroundings, title: string): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < effort.rounds; round++) {
    const { rate } = await runPgbench(cluster, folder, { text: "SELECT 1;\n" }, 1, effort.seconds);
    times.push(1000 / rate);
  }
  return { name: "network", title, subject: "pgbench, 1 client", unit: "ms", figure: spreadOf(times), notes: [] };
}

async function measureQuestion(
  { cluster, folder, effort, contenders }: Surroundings,
  { title, load, script, clients, pets }: Question,
  withPools: boolean,
): Promise<Row[]> {
  const { seconds } = effort;
  const [byDefault, ...others] = contenders;
  const measures: Record<string, Measure> = {
    four: () => measureServers(byDefault!.servers, load, seconds),
    pgbench: () => runPgbench(cluster, folder, script, clients, seconds, pets),
  };
  for (const { pool, servers, peer } of withPools ? contenders : [byDefault!]) {
    measures[`server ${pool}`] = () => measureServers(servers.slice(0, 1), load, seconds);
    measures[`peer ${pool}`] = () => measureServers([peer], load, seconds);
  }
  const series = await measureRounds(cluster, measures, effort);
  const base = pets === 1 ? `pgbench, ${clients} clients` : `pgbench, batches of ${pets}`;
  const compare = (subject: string, base: string, ...names: [string, string]) =>
    ratio({ name: "network", title, subject, base }, series, ...names);
  const server = `server ${POOLS[0]}`, peer = `peer ${POOLS[0]}`;
  return [
    compare("1 server", "Fastify with node-postgres", server, peer),
    compare("1 server", base, server, "pgbench"),
    compare("4 servers", base, "four", "pgbench"),
    ...(withPools ? others : []).flatMap(({ pool }) => [
      compare(`1 server, a pool of ${pool}`, `of ${POOLS[0]}`, `server ${pool}`, server),
      compare(`Fastify, a pool of ${pool}`, `of ${POOLS[0]}`, `peer ${pool}`, peer),
    ]),
  ];
}
