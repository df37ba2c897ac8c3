/** What can be started of a tree, and how it is loaded. */

import { join } from "node:path";
import { MOST_PETS, NEW_PET } from "../catalogue.ts";
import { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { checkStatus } from "../responses.ts";
import type { Calls } from "../servers/library.ts";
import type { Checkout } from "./checkout.ts";
import type { Sample } from "./compare.ts";
import type { Part, RequestKind } from "./options.ts";

/** A measurement that both trees take one after the other. */
export interface Turn {
  /** Its line of the table; `undefined` if it only warms up. */
  name: string | undefined;
  take(): Promise<Sample>;
}

export interface Contender extends AsyncDisposable {
  turns(kind: RequestKind): readonly Turn[];
}

/** Seconds of a turn. More rounds say more than longer turns: processes of the same code differ most from each other. */
const SECONDS = 0.4;

/** Seconds of the same load before a turn, in which the engine compiles what it runs. A lone create runs other code than several. */
const WARM_UP = 0.6;

const CONNECTIONS = [64, 1];

const LOADS: Record<RequestKind, Load> = {
  get: load("/v1/pets/42"),
  random: load("/v1/pets/{id}", { random: { pets: MOST_PETS, skew: 0 } }),
  list: load("/v1/pets"),
  filtered: load("/v1/pets?status=sold"),
  create: load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 }),
};

const TITLES: Record<RequestKind, string> = {
  get: "GET one",
  random: "random GET",
  list: "list of 20",
  filtered: "filtered list",
  create: "create",
};

/** How to start each part. The folder is empty. */
export const contenders: Record<Part, (tree: Checkout, folder: string) => Promise<Contender>> = {
  server: async ({ server: program }, folder) => {
    const spec = { program, path: join(folder, "pets.db"), log: join(folder, "log"), onAllCores: true };
    const flags = [`--seed=${MOST_PETS}`];
    return await served("server", await ServerProcess.startStandalone({ ...spec, flags }));
  },
  library: async ({ root }) => await served("library", await startLibrary(root)),
  "in-process": async ({ root }) => inProcess(await startLibrary(root)),
};

function startLibrary(root: string): Promise<ServerProcess> {
  return ServerProcess.start({ runtime: "Deno", script: "library.ts", settings: { root } });
}

async function served(part: string, server: ServerProcess): Promise<Contender> {
  await using started = new AsyncDisposableStack();
  started.use(server);
  for (const load of Object.values(LOADS)) await checkStatus(server, load);
  const take = async (load: Load, seconds = SECONDS): Promise<Sample> => {
    const { rate, efficiency } = await server.measure(load, seconds);
    return { rate, processor: 1e6 / efficiency };
  };
  const running = started.move();
  return {
    turns: (kind) =>
      CONNECTIONS.flatMap((connections): Turn[] => {
        const load = { ...LOADS[kind], connections };
        const name = `${part}, ${TITLES[kind]}, ${connections === 1 ? "1 connection" : `${connections} connections`}`;
        return [{ name: undefined, take: () => take(load, WARM_UP) }, { name, take: () => take(load) }];
      }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function inProcess(server: ServerProcess): Contender {
  const take = async (kind: RequestKind): Promise<Calls> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/in-process?call=${kind}&seconds=${SECONDS}`);
    return await response.json();
  };
  return {
    turns: (kind) => [
      { name: undefined, take: () => take(kind) },
      { name: `in process, ${TITLES[kind]}`, take: () => take(kind) },
    ],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
