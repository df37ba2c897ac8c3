/**
 * The sections of `deno task bench --against REF`: this tree beside another commit. Only what is
 * public of both is used: flags and exports.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../tests/support/pages.ts";
import { startStandalone } from "./load/server_process.ts";
import { LOAD_CORE, SERVER_CORE, STOP } from "./load/wrk.ts";
import type { Contender, Place, Section } from "./rounds.ts";
import type { Sample } from "./row.ts";
import { casesOf, CREATE, LOADS, type Loads } from "./sections.ts";

const NOW = "this tree";

/** More than the petstore keeps responses of. */
const PETS = 20_000;

const ALL: Loads = {
  ...LOADS,
  random: ["random GET", { path: "/v1/pets/{id}", connections: 64, randomOf: PETS }],
};

/** A lone create runs other code than several. */
const ALONE: Loads = { "create-lone": ["POST, 1 connection", { ...CREATE, connections: 1 }] };

/** What is measured of a tree, and the loads. The name begins the names of its cases. */
const PARTS: Record<string, [start: (root: string, place: Place) => Promise<Contender>, loads: Loads]> = {
  "server": [startServer, { ...ALL, ...ALONE }],
  "in-process": [callInProcess, ALL],
};

/**
 * @param folder Where the files of the commit are written.
 * @throws {Error} If there is no such commit, or if it has other files.
 */
export function sectionsAgainst(ref: string, folder: string): Section[] {
  const root = join(folder, "checkout");
  // An archive and no worktree of git, which would stay in its list after a kill.
  const script = 'mkdir "$2" && git -C "$0" archive "$1" deno.json mod.ts server.ts lib packages | tar -x -C "$2"';
  execFileSync("sh", ["-c", script, ROOT, ref, root]);
  return Object.entries(PARTS).map(([part, [start, loads]]) => ({
    title: part,
    contenders: { [ref]: (place) => start(root, place), [NOW]: (place) => start(ROOT, place) },
    cases: casesOf(part, [{ subject: NOW }, { subject: NOW, base: ref }], loads),
  }));
}

function startServer(root: string, { folder }: Place): Promise<Contender> {
  const cores = `${SERVER_CORE},${LOAD_CORE}`;
  return startStandalone(root, join(folder, "pets.db"), [`--seed=${PETS}`], { cores });
}

/** Calls of `handle()` without a socket, in a process that each measurement starts. */
function callInProcess(root: string): Promise<Contender> {
  const script = new URL("servers/library.ts", import.meta.url).pathname;
  return Promise.resolve({
    async measure(load, warmUp, seconds) {
      const settings = JSON.stringify({ root, pets: PETS, load, warmUp, seconds });
      const args = ["run", "--allow-all", "--no-check", script, settings];
      const command = new Deno.Command(Deno.execPath(), { args, stderr: "inherit", signal: STOP.signal });
      return JSON.parse(new TextDecoder().decode((await command.output()).stdout)) as Sample;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}
