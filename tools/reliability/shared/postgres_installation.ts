/** Four standalone servers on one PostgreSQL; a crash can kill either. */

import {
  type Cluster,
  kill,
  pidOf,
  removeCluster,
  startAgain,
  startCluster,
} from "../../../tests/support/postgres/cluster.ts";
import { runSql } from "../../../tests/support/postgres/postgres.ts";
import { Client } from "../../../tests/support/http/client.ts";
import type { Ending, Installation } from "./installation.ts";
import type { Random } from "../../../tests/support/random.ts";
import { type ServerParts, ServerProcess } from "../../../tests/support/server/server_process.ts";
import { until } from "../../../tests/support/until.ts";
import { get, KEY } from "../../../tests/support/http/requests.ts";

const SERVERS = 4;

/** The targets of a crash. */
const VICTIMS = ["the servers", "the database", "all", "the connections, then the servers"] as const;

/** After the connections, the servers are killed within so many milliseconds. */
const LATER = 30;

/** The servers' connections, and the busy ones. */
const CONNECTIONS = "FROM pg_stat_activity WHERE application_name = 'petstore'";
const AT_WORK = `${CONNECTIONS} AND state <> 'idle'`;

/** PostgreSQL's durable default. */
const SETTINGS = ["max_connections=100"];

/** What servers may report of a lost database: what failed and why, and that API keys cannot be read meanwhile. */
const REPORTS = [
  /PostgreSQL: /,
  / failed: PostgreSQL/,
  /^petstore: the API keys cannot be read at the moment, [^:]*: (PostgreSQL|Reading the API keys takes longer)/,
  /^petstore: the API keys can be read again$/,
  /^$/,
];

/** Servers that go on when their database is killed: they answer 503, and clients retry. */
export class PostgresInstallation implements Installation {
  readonly mayRefuse = true;
  readonly #folder: string;
  readonly #workers: number;
  readonly #random: Random;
  #cluster: Cluster | undefined;
  #servers: ServerProcess[] = [];

  /** @param folder Where the servers run. @param workers Of each server. @param random Decides what a crash kills. */
  constructor(folder: string, workers: number, random: Random) {
    this.#folder = folder;
    this.#workers = workers;
    this.#random = random;
  }

  get ports(): number[] {
    return this.#servers.map(({ port }) => port);
  }

  async start(): Promise<void> {
    await this.#startDatabase();
    const missing = Array.from({ length: SERVERS - this.#servers.length });
    this.#servers.push(...await Promise.all(missing.map(() => ServerProcess.start(this.#folder, this.#parts))));
    await Promise.all(this.ports.map(untilReady));
    // A statement sent before the crash may have waited for this start.
    await this.#untilNone(AT_WORK);
  }

  async crash(): Promise<void> {
    const victim = this.#random.pick(VICTIMS);
    if (victim === "the connections, then the servers") {
      await this.#ask(`SELECT pg_terminate_backend(pid) ${CONNECTIONS}`);
      await new Promise((resolve) => setTimeout(resolve, this.#random.below(LATER)));
    }
    if (this.#cluster && (victim === "the database" || victim === "all")) kill(this.#cluster);
    if (victim === "the database") return;
    await this.#killServers();
  }

  async crashAtStart(delay: number): Promise<void> {
    await this.#startDatabase();
    await this.#killServers();
    const starts = Array.from({ length: SERVERS }, () => ServerProcess.startAndKill(this.#folder, delay, this.#parts));
    await Promise.all(starts);
    await this.#untilNone(CONNECTIONS);
  }

  async stop(): Promise<Ending> {
    const servers = this.#servers;
    this.#servers = [];
    const statuses = await Promise.all(servers.map((server) => server.stop()));
    const lines = servers.flatMap(({ written }) => written.stderr.split("\n")).filter((line) =>
      !REPORTS.some((report) => report.test(line))
    );
    return { status: Math.max(...statuses), errors: lines.join("\n") };
  }

  /** Other sessions cannot harm PostgreSQL's files. */
  visit(): Promise<string[]> {
    return Promise.resolve([]);
  }

  /** PostgreSQL checks each page that it reads, and the audit reads them all. */
  inspect(): string[] {
    return [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
    if (this.#cluster) removeCluster(this.#cluster);
  }

  get #url(): string {
    return `postgres://postgres@127.0.0.1:${this.#cluster?.port}/postgres`;
  }

  get #parts(): ServerParts {
    return {
      args: [`--workers=${this.#workers}`, "--log=off"],
      env: { PETSTORE_KEYS: KEY, PETSTORE_STORE: this.#url },
    };
  }

  async #startDatabase(): Promise<void> {
    if (!this.#cluster) {
      this.#cluster = await startCluster(SETTINGS);
    } else if (pidOf(this.#cluster) === undefined) startAgain(this.#cluster, SETTINGS);
  }

  async #killServers(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop("SIGKILL")));
    this.#servers = [];
    // A statement in progress outlives its client.
    if (this.#cluster && pidOf(this.#cluster) !== undefined) await this.#untilNone(CONNECTIONS);
  }

  async #ask(sql: string): Promise<(string | null)[][]> {
    return await runSql(this.#url, sql);
  }

  async #untilNone(which: string): Promise<void> {
    while ((await this.#ask(`SELECT count(*) ${which}`))[0]?.[0] !== "0");
  }
}

async function untilReady(port: number): Promise<void> {
  using client = new Client(port);
  await until(`the server at ${port} ready`, async () => {
    const outcome = await client.send(get("/readyz"));
    return outcome.kind === "answered" && outcome.response.status === 200;
  });
}
