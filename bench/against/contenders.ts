/** What can be started of a tree, and how it is loaded. */

import { join } from "node:path";
import { MOST_PETS, NEW_PET } from "../catalogue.ts";
import { ServerProcess } from "../load/server_process.ts";
import { type Load, load } from "../load/wrk.ts";
import { readResponse } from "../responses.ts";
import type { Checkout } from "./checkout.ts";
import type { Sample } from "./compare.ts";

/** How to start each part. The folder is empty. */
export const PARTS = {
  server({ server: program }: Checkout, folder: string): Promise<ServerProcess> {
    const flags = [`--seed=${MOST_PETS}`], path = join(folder, "pets.db");
    return ServerProcess.startStandalone({ program, path, log: join(folder, "log"), flags, onAllCores: true });
  },
  library({ root }: Checkout, _folder: string): Promise<ServerProcess> {
    return ServerProcess.start({ runtime: "Deno", script: "library.ts", settings: { root, pets: MOST_PETS } });
  },
};

export const REQUESTS: Record<"get" | "random" | "list" | "filtered" | "create", [title: string, load: Load]> = {
  get: ["GET one", load("/v1/pets/42")],
  random: ["random GET", load("/v1/pets/{id}", { random: { pets: MOST_PETS, skew: 0 } })],
  list: ["list of 20", load("/v1/pets")],
  filtered: ["filtered list", load("/v1/pets?status=sold")],
  create: ["create", load("/v1/pets", { method: "POST", body: NEW_PET, status: 201 })],
};

/** Measures calls of `handle()` in a process of its own, which needs no server. */
export function turnsInProcess({ root }: Checkout, kinds: readonly (keyof typeof REQUESTS)[]): Turn[] {
  const script = new URL("in_process.ts", import.meta.url).pathname;
  return kinds.map((kind) => ({
    name: `in process, ${REQUESTS[kind][0]}`,
    async take() {
      const args = ["run", "-A", "--no-check", script, root, kind, String(SECONDS)];
      const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
      if (!success) throw new Error(new TextDecoder().decode(stderr));
      return JSON.parse(new TextDecoder().decode(stdout)) as Sample;
    },
  }));
}

export interface Started {
  part: keyof typeof PARTS;
  server: ServerProcess;
}

/** A measurement that both trees take one after the other. */
export interface Turn {
  /** Its line of the table. */
  name: string;
  take(): Promise<Sample>;
}

/** Seconds of a turn. More rounds say more than longer turns: processes of the same code differ most from each other. */
const SECONDS = 0.4;

/** Seconds of the same load before a turn, in which the engine compiles what it runs. A lone create runs other code than several. */
const WARM_UP = 0.6;

const CONNECTIONS = [64, 1];

export async function turnsOf({ part, server }: Started, kinds: readonly (keyof typeof REQUESTS)[]): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (const kind of kinds) {
    const [title, asked] = REQUESTS[kind];
    await readResponse(server, asked);
    for (const connections of CONNECTIONS) {
      const load = { ...asked, connections };
      turns.push({
        name: `${part}, ${title}, ${connections === 1 ? "1 connection" : `${connections} connections`}`,
        async take() {
          await server.measure(load, WARM_UP);
          const { rate, efficiency } = await server.measure(load, SECONDS);
          return { rate, processor: 1e6 / efficiency };
        },
      });
    }
  }
  return turns;
}
