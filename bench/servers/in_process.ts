/** Calls `handle()` of a tree in a loop, without a socket, and prints a sample as JSON. */

import process from "node:process";
import { requestTo } from "../catalogue.ts";
import type { Load } from "../load/wrk.ts";
import type { Sample } from "../row.ts";
import { readSettings } from "./host.ts";
import { openLibrary } from "./open_library.ts";

interface Settings {
  root: string;
  pets: number;
  load: Load;
  /** Seconds, in which the engine compiles what it runs. */
  warmUp: number;
  seconds: number;
}

const { root, pets, load, warmUp, seconds } = readSettings<Settings>();
const { handle } = await openLibrary(root, pets);
await measure(warmUp);
console.log(JSON.stringify(await measure(seconds)));

/** Has as many requests under way at a time as the load has connections. */
async function measure(seconds: number): Promise<Sample> {
  const before = process.cpuUsage(), start = performance.now(), end = start + 1000 * seconds;
  let requests = 0;
  while (performance.now() < end) {
    const asked = Array.from(
      { length: load.connections },
      () => handle(requestTo(`http://localhost${path()}`, load.body)),
    );
    for (const { status } of await Promise.all(asked)) if (status >= 300) throw new Error(`A request got ${status}`);
    requests += load.connections;
  }
  const { user, system } = process.cpuUsage(before);
  return { rate: 1000 * requests / (performance.now() - start), efficiency: 1e6 * requests / (user + system) };
}

function path(): string {
  return load.randomOf ? load.path.replace("{id}", String(1 + Math.floor(Math.random() * pets))) : load.path;
}
