/**
 * The library of a tree, through its exports alone, with pets in memory: on the usual server of the
 * runtime, or, with a load in the settings, called in a loop without a socket. Then it prints a
 * sample as JSON.
 */

import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { KEY, petAt, requestTo } from "../catalogue.ts";
import type { Load } from "../load/wrk.ts";
import type { Sample } from "../row.ts";
import { listen, listenOnNode, readSettings } from "./host.ts";

interface Settings {
  /** The folder with the tree's mod.ts. */
  root: string;
  /** How many pets of the catalogue it has. */
  pets: number;
  load?: Load;
  /** Seconds, in which the engine compiles what it runs. */
  warmUp: number;
  seconds: number;
}

const { root, pets, load, warmUp, seconds } = readSettings<Settings>();
const { createPetstore }: typeof import("../../mod.ts") = await import(pathToFileURL(join(root, "mod.ts")).href);
const petstore = createPetstore({ keys: [KEY] });
for (let id = 1; id <= pets; id++) {
  await petstore.handle(requestTo("http://localhost/v1/pets", JSON.stringify(petAt(id))));
}
if (load) {
  await measure(load, warmUp);
  console.log(JSON.stringify(await measure(load, seconds)));
} else if ("Deno" in globalThis) listen(petstore.handle);
else listenOnNode(createServer(createNodeListener(petstore)));

/** Has as many requests under way at a time as the load has connections. */
async function measure({ path, body, connections, randomOf }: Load, seconds: number): Promise<Sample> {
  const target = () => randomOf ? path.replace("{id}", String(1 + Math.floor(Math.random() * randomOf))) : path;
  const before = process.cpuUsage();
  const start = performance.now();
  const end = start + 1000 * seconds;
  let requests = 0;
  while (performance.now() < end) {
    const asked = Array.from(
      { length: connections },
      () => petstore.handle(requestTo(`http://localhost${target()}`, body)),
    );
    for (const { status } of await Promise.all(asked)) if (status >= 300) throw new Error(`A request got ${status}`);
    requests += connections;
  }
  const { user, system } = process.cpuUsage(before);
  return { rate: 1000 * requests / (performance.now() - start), efficiency: 1e6 * requests / (user + system) };
}
