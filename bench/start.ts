/**
 * `deno task bench start`: how long it takes from the command to the first pet, and from the first request to the steady rate, beside
 * other servers with as many pets in an SQLite file. The servers take turns.
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { VERSION } from "../lib/version.ts";
import { command } from "../tests/support/system/commands.ts";
import { environment, NODE, ROOT, SERVER, taskFlags } from "../tests/support/server/serve_task.ts";
import { parseFlags, readCount, runTool } from "../tools/command_line.ts";
import { CATALOGUE_SIZE, KEY } from "./catalogue.ts";
import { LOAD_CORE } from "./load/cores.ts";
import { dropFromPageCache } from "./load/page_cache.ts";
import { killServers, runPinned, ServerProcess } from "./load/server_process.ts";
import { load } from "./load/wrk.ts";
import { inRounds } from "./rounds.ts";
import { ratioOf, spreadOf } from "./row.ts";

const HELP = `deno task bench start [options]

  --rounds N    measured rounds, by default 5
  --help        this text
`;

const PACKAGE = join(ROOT, "dist", `petstore-petstore-${VERSION}.tgz`);

/** Below the ports from which connections come: one of those could connect to itself. */
const PORT = 20_480;

const SECONDS = 10;

/** The seconds that are shown, and the first of those of the steady rate. */
const SHOWN = 3, STEADY = 7;

const LOAD = load("/v1/pets/{id}", { connections: 32, random: { pets: CATALOGUE_SIZE, skew: 0 } });

interface Contender {
  command: string[];
  /** What it reads, other than its runtime and its data. */
  files: string[];
}

interface Start {
  milliseconds: number;
  processor: number;
}

/** The contenders, by copies of the runtimes, with a cache of Deno of their own. */
class Starts {
  readonly #folder: string;
  readonly contenders: Record<string, Contender>;

  constructor(folder: string) {
    this.#folder = folder;
    const deno = join(folder, "bin", "deno"), node = join(folder, "bin", "node");
    Deno.mkdirSync(join(folder, "bin"));
    Deno.copyFileSync(Deno.execPath(), deno);
    Deno.copyFileSync(NODE, node);
    command(deno, "task", "--config", join(ROOT, "deno.json"), "pack");
    command("tar", "-xzf", PACKAGE, "-C", join(folder, "bin"));
    const program = ["lib", "server.ts", "deno.json"], peer = ["bench", "mod.ts", "lib"];
    const peerCommand = (script: string) => {
      const settings = { path: this.#database("peer.db"), pets: CATALOGUE_SIZE };
      return [join(ROOT, "bench", "servers", script), JSON.stringify(settings)];
    };
    this.contenders = {
      "Petstore": { command: [deno, "run", ...taskFlags(), SERVER], files: program },
      "Petstore, deno task serve": {
        command: [deno, "task", "--config", join(ROOT, "deno.json"), "serve"],
        files: program,
      },
      "Petstore on Node, from npm": {
        command: [node, join(folder, "bin", "package", "lib", "server", "node", "main.js"), "serve"],
        files: [],
      },
      "hand-written": { command: [deno, "run", "--allow-all", ...peerCommand("handwritten.ts")], files: peer },
      "Fastify on Node": {
        command: [node, "--disable-warning=ExperimentalWarning", ...peerCommand("fastify.ts")],
        files: [...peer, "node_modules/fastify"],
      },
    };
  }

  #database(name: string): string {
    return join(this.#folder, "data", name);
  }

  async fill(): Promise<void> {
    Deno.mkdirSync(join(this.#folder, "data"));
    await runPinned("fill_database.ts", { path: this.#database("petstore.db"), pets: CATALOGUE_SIZE });
    await this.time("Fastify on Node");
    // A peer that is killed leaves the log of what it filled, which the next start would have to read.
    const peer = new DatabaseSync(this.#database("peer.db"));
    peer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    peer.close();
  }

  async time(name: string, isCold = false): Promise<Start> {
    const { files } = this.contenders[name]!;
    const read = files.map((file) => join(ROOT, file));
    if (isCold) dropFromPageCache([...read, ...["bin", "cache", "data"].map((each) => join(this.#folder, each))]);
    const { server, milliseconds } = await this.start(name);
    await using _ = server;
    return { milliseconds, processor: server.processorTime };
  }

  start(name: string): ReturnType<typeof ServerProcess.startTimed> {
    const store = { PETSTORE_KEYS: KEY, PETSTORE_STORE: `sqlite:${this.#database("petstore.db")}` };
    return this.#start(name, this.#folder, store, "/v1/pets/1", () => KEY);
  }

  /** In an empty folder, the petstore makes its key and its database. */
  async timeFirst(name: string): Promise<Start> {
    const cwd = Deno.makeTempDirSync({ dir: this.#folder });
    const file = join(cwd, "data", "api-key");
    const readKey = () => existsSync(file) ? Deno.readTextFileSync(file).trim() : undefined;
    const { server, milliseconds } = await this.#start(name, cwd, {}, "/v1/pets", readKey);
    await using _ = server;
    return { milliseconds, processor: server.processorTime };
  }

  #start(name: string, cwd: string, store: Record<string, string>, path: string, readKey: () => string | undefined) {
    const bin = join(this.#folder, "bin"), port = { PORT: String(PORT), BENCH_PORT: String(PORT) };
    const own = { DENO_DIR: join(this.#folder, "cache"), PATH: `${bin}:${Deno.env.get("PATH")}` };
    const env = { ...environment(), ...own, ...port, ...store };
    return ServerProcess.startTimed(this.contenders[name]!.command, { port: PORT, path, readKey, cwd, env });
  }

  /** The rates of the first seconds after the first response. */
  async warm(name: string): Promise<number[]> {
    const { server } = await this.start(name);
    await using _ = server;
    const rates: number[] = [];
    for (let second = 0; second < SECONDS; second++) rates.push((await server.measure(LOAD, 1)).rate);
    return rates;
  }
}

function shown(figures: readonly number[], digits = 0): string {
  const { low, median, high } = spreadOf(figures);
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`.padEnd(20);
}

function printStarts(title: string, series: Record<string, Start[]>): void {
  console.log(`\n${title}: milliseconds from the command to the first 200, and those of the processor`);
  for (const [name, starts] of Object.entries(series)) {
    const figures = [starts.map(({ milliseconds }) => milliseconds), starts.map(({ processor }) => processor)];
    console.log(`${name.padEnd(27)}${figures.map((each) => shown(each)).join("")}`);
  }
}

function printWarming(series: Record<string, number[][]>): void {
  console.log(
    "\nWarming: the rate in the first, second and third second, of the mean of the eighth to tenth; that mean",
  );
  for (const [name, rounds] of Object.entries(series)) {
    const steady = rounds.map((rates) => rates.slice(STEADY).reduce((sum, rate) => sum + rate) / (SECONDS - STEADY));
    const shares = Array.from({ length: SHOWN }, (_, second) => {
      const { low, median, high } = ratioOf(rounds.map((rates) => rates[second]!), steady);
      return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`.padEnd(22);
    });
    console.log(`${name.padEnd(27)}${shares.join("")}${shown(steady)}`);
  }
}

await runTool("bench-start", async (folder) => {
  const flags = parseFlags(Deno.args, HELP, { rounds: { type: "string" } });
  const rounds = readCount("rounds", flags.rounds, 5);
  await new Deno.Command("taskset", { args: ["-a", "-c", "-p", String(LOAD_CORE), String(Deno.pid)] }).output();
  globalThis.addEventListener("unload", killServers);
  const starts = new Starts(folder), names = Object.keys(starts.contenders);
  await starts.fill();
  const all = <T>(names: readonly string[], measure: (name: string) => Promise<T>) =>
    inRounds(Object.fromEntries(names.map((name) => [name, () => measure(name)])), rounds);
  printStarts("Warm", await all(names, (name) => starts.time(name)));
  printStarts("Cold", await all(names, (name) => starts.time(name, true)));
  const own = ["Petstore", "Petstore on Node, from npm"];
  printStarts("First ever", await all(own, (name) => starts.timeFirst(name)));
  const direct = names.filter((name) => !name.includes("task"));
  printWarming(await all(direct, (name) => starts.warm(name)));
  return [];
});
