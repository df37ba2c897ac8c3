/** Three PostgreSQL nodes under Patroni, etcd, and HAProxy, each on a machine of its own. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSystemBinaries } from "../../../tests/support/postgres/binaries.ts";
import { command, hasCommand } from "../../../tests/support/system/commands.ts";
import { haproxyConfiguration, patroniConfiguration, PORTS, type Timing } from "./configuration.ts";
import { until } from "../../../tests/support/until.ts";
import { type Machine, Network, NO_NETWORK } from "./network.ts";

const PROGRAMS = ["initdb", "postgres", "pg_ctl", "pg_basebackup", "pg_rewind"];
/** An ordinary user's PATH often lacks Debian's folder. */
const HAPROXY = "/usr/sbin/haproxy";
/** Debian's package of PostgreSQL makes this user. */
const USER = "postgres";

/** Why no cluster can run here, or `false`. */
export function whyNoHaCluster(): string | false {
  if (Deno.build.os !== "linux") return "Patroni is tried on Linux only";
  if (findSystemBinaries(PROGRAMS) === undefined) {
    return "the system has no PostgreSQL with pg_basebackup and pg_rewind";
  }
  const missing = ["patroni", "etcd", HAPROXY].filter((name) => !hasCommand(name));
  if (missing.length > 0) return `there is no ${missing.join(" and no ")}: apt-get install patroni etcd-server haproxy`;
  if (!readFileSync("/etc/passwd", "utf8").includes(`\n${USER}:`)) return `there is no user ${USER}`;
  return NO_NETWORK;
}

/** The state of a node, as Patroni's `/cluster` shows it. */
interface Member {
  name: string;
  role: "leader" | "sync_standby" | "replica";
  state: string;
  timeline?: number;
  lag?: number | "unknown";
}

export class HaCluster implements Disposable {
  readonly nodes: readonly Machine[];
  readonly #network: Network;
  readonly #etcd: Machine;
  readonly #balancer: Machine;
  readonly #timing: Timing;
  readonly #folder: string;

  /** Starts everything. {@link untilWhole} tells when it works. @param folder For its files; other users can enter it. */
  constructor(folder: string, timing: Timing) {
    this.#folder = folder;
    this.#timing = timing;
    this.#network = new Network(folder);
    this.#etcd = this.#network.add("etcd");
    this.#balancer = this.#network.add("lb");
    this.nodes = ["n1", "n2", "n3"].map((name) => this.#network.add(name));
    this.#startEtcd();
    for (const node of this.nodes) this.startNode(node);
    this.#startBalancer();
  }

  /** The primary, through HAProxy. */
  get url(): string {
    return `postgres://postgres@${this.#balancer.address("clients")}/postgres`;
  }

  /** Starts a node on what its folder has. */
  startNode(node: Machine): void {
    const folder = this.#folderOf(node);
    const bin = findSystemBinaries(PROGRAMS) ?? "";
    const configuration = join(folder, "patroni.yml");
    writeFileSync(configuration, patroniConfiguration(node, this.#etcd, { ...this.#timing, bin, folder }));
    node.start(this.logOf(node), USER, "patroni", configuration);
  }

  /** The primary, in the view of a node that can be reached. A node that is cut off may still take itself for one. */
  async primary(except?: Machine): Promise<Machine | undefined> {
    const others = this.nodes.filter((node) => node !== except);
    const are = await Promise.all(others.map(async (node) => (await ask(node, "/primary"))?.status === 200));
    return others[are.indexOf(true)];
  }

  /** Waits until all nodes work, and each standby follows the primary. */
  async untilWhole(): Promise<void> {
    await until("a whole cluster", () => this.#isWhole(), 180).catch((error) => {
      throw new Error(`${error}\n${this.describe()}`);
    });
  }

  /** Whether another node becomes the primary within a minute. */
  async failsOver(from: Machine): Promise<boolean> {
    const isDone = async () => await this.primary(from) !== undefined;
    return await until("another primary", isDone).then(() => true, () => false);
  }

  async #isWhole(): Promise<boolean> {
    const members = await this.#members();
    const roles = members.map(({ role }) => role).sort().join();
    return roles === "leader,replica,sync_standby" && new Set(members.map(({ timeline }) => timeline)).size === 1 &&
      members.every(({ role, state, lag }) =>
        ["running", "streaming"].includes(state) && (role === "leader" || typeof lag === "number")
      );
  }

  /** Describes what etcd has, and the end of the log of each node. */
  describe(): string {
    const ends = this.nodes.map((node) => `${node.name}:\n${readFileSync(this.logOf(node), "utf8").slice(-4000)}`);
    return [this.#etcd.run("curl", "-s", `${this.#etcdUrl}/v2/keys/service/pets?recursive=true`), ...ends].join("\n");
  }

  logOf(machine: Machine): string {
    return join(this.#folder, `${machine.name}.log`);
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }

  async #members(): Promise<Member[]> {
    const primary = await this.primary();
    const text = primary && (await ask(primary, "/cluster"))?.text;
    return text ? (JSON.parse(text) as { members: Member[] }).members : [];
  }

  get #etcdUrl(): string {
    return `http://${this.#etcd.address("cluster")}:${PORTS.etcd}`;
  }

  #startEtcd(): void {
    const url = this.#etcdUrl;
    // etcd keeps its data in memory: where a disk is slow for seconds, Patroni takes all standbys for lost, and none
    // may follow the primary.
    const flags = [`--data-dir=${this.#network.memoryOf("etcd")}`, `--listen-client-urls=${url}`];
    const peers = [
      `--advertise-client-urls=${url}`,
      "--listen-peer-urls=http://127.0.0.1:2380",
      "--logger=zap",
      "--enable-v2=true",
    ];
    this.#etcd.start(this.logOf(this.#etcd), USER, "etcd", ...flags, ...peers);
  }

  #startBalancer(): void {
    const configuration = join(this.#folderOf(this.#balancer), "haproxy.cfg");
    writeFileSync(configuration, haproxyConfiguration(this.nodes));
    this.#balancer.start(this.logOf(this.#balancer), USER, HAPROXY, "-db", "-f", configuration);
  }

  #folderOf({ name }: Machine): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    command("chown", USER, folder);
    return folder;
  }
}

/** Asks a node's Patroni; `undefined` if it does not answer. */
async function ask(node: Machine, path: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const url = `http://${node.address("clients")}:${PORTS.patroni}${path}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
