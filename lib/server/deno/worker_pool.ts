/** Several workers that serve at one port, and the main isolate that starts them, replaces them and ends them. */

import { createLimitMemory } from "../../access/limit_table.ts";
import type { LimitMemory } from "../../access/rate_limit.ts";
import { SqliteStore } from "../../stores/sqlite/store.ts";
import type { Report } from "../http/listener.ts";
import type { Server } from "../serving/runtime.ts";
import { isPermitted } from "../process/process.ts";
import type { ServerSettings } from "../settings/server_settings.ts";
import { SettingError } from "../process/start_error.ts";
import type { StoreSetting } from "../store/store_setting.ts";
import type { Writers } from "../process/writers.ts";
import { WorkerGroup } from "./worker_group.ts";
import { reservePort } from "./port.ts";
import { WorkerHandle } from "./worker_handle.ts";

/** The address of the program that a worker runs. */
const PROGRAM = new URL("./worker.ts", import.meta.url);

export function createWorkerPool(
  settings: ServerSettings,
  storeSetting: StoreSetting,
  report: Report,
  writers: Writers,
  program: URL = PROGRAM,
): Server {
  requirePlatform();
  requireProgram();
  requireShareable(storeSetting);
  const group = new WorkerGroup(settings.workers, report);
  return {
    async start(open) {
      using reserved = await reservePort(settings);
      const { hostname, port } = reserved;
      const { store } = await open();
      // One thread writes for all workers to SQLite. To PostgreSQL each writes for itself.
      const owner = store instanceof SqliteStore ? store : undefined;
      if (!owner) await store.close();
      const shared = { settings, hostname, port, limits: createLimits(settings) };
      const database = owner?.opened ?? storeSetting.target!;
      await group.start((missing) => new WorkerHandle(program, { ...shared, database, missing }, writers, owner));
      return port;
    },
    close: () => group.close(),
    hold: () => group.hold(),
    end: (timeoutMs) => group.end(timeoutMs),
    readMetrics: () => group.readMetrics(),
  };
}

function createLimits({ options: { rateLimit } }: ServerSettings): LimitMemory | undefined {
  if (!rateLimit) return undefined;
  const create = () => createLimitMemory((bytes) => new SharedArrayBuffer(bytes));
  return { callers: create(), addresses: create() };
}

/** Deno ends the process if the flag is missing, with which alone `listenDatagram()` exists. */
function requirePlatform(): void {
  if (Deno.build.os !== "linux") {
    throw new SettingError("Several workers can share a port on Linux only; set --workers 1");
  }
  if ("listenDatagram" in Deno) return;
  throw new SettingError("Several workers need deno run --unstable-net, as in the task serve; or set --workers 1");
}

/** The main program needs no permission to read its own modules, but the programs of workers do. */
function requireProgram(): void {
  for (const path of ["../../", "../../../deno.json"].map((path) => new URL(path, import.meta.url))) {
    if (path.protocol !== "file:" || isPermitted({ name: "read", path })) continue;
    throw new SettingError(`Several workers need the permission to read ${path.pathname}`);
  }
}

function requireShareable({ shared, description }: StoreSetting): void {
  if (shared) return;
  throw new SettingError(`Several workers cannot share the store ${description}; set --workers 1 or another store`);
}
