/** Serves `/metrics` at a separate address, so that clients of the API need no access to it. */

import { statSync } from "node:fs";
import process from "node:process";
import type { PetStore } from "../../stores/store.ts";
import { SqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { Reply } from "../../http/reply.ts";
import { Problem } from "../../http/problem.ts";
import { splitTarget } from "../../http/request_text.ts";
import { VERSION } from "../process/version.ts";
import type { Report } from "../process/writers.ts";
import type { Address, Listen, Listener } from "../service/listener.ts";
import { formatSamples, labels, METRICS_TEXT, type Samples } from "./samples.ts";

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/**
 * Listens for scrapes.
 *
 * @param readMetrics Reads the samples of the server, at each scrape. This adds those of the process.
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Omit<Address, "flag">,
  listen: Listen,
  readMetrics: () => Samples,
  report: Report,
): Promise<Listener> {
  const { deno, node } = process.versions;
  const runtime = deno === undefined ? `node ${node}` : `deno ${deno}`;
  const readProcess = (): Samples => ({
    [`petstore_build_info${labels({ runtime, version: VERSION })}`]: 1,
    process_resident_memory_bytes: process.memoryUsage().rss,
    process_start_time_seconds: performance.timeOrigin / 1000,
  });
  const scrape = (): Reply => ({
    status: 200,
    headers: { "content-type": METRICS_TEXT, "cache-control": "no-store" },
    body: formatSamples({ ...readMetrics(), ...readProcess() }),
  });
  return await listen({ ...address, flag: "--metrics" }, {
    respond(context, info, send) {
      const isScrape = splitTarget(context.target).path === "/metrics" && ["GET", "HEAD"].includes(context.method);
      return send(isScrape ? scrape() : NOT_FOUND, context, { fail: () => NOT_FOUND }, info);
    },
  }, report);
}

/** The sizes of the files of an SQLite store. There are none for another store, and before the store is open. */
export function readSizes(store?: PetStore): Samples {
  const path = store instanceof SqliteStore ? store.files?.path : undefined;
  if (path === undefined) return {};
  return { petstore_database_bytes: sizeOf(path), petstore_database_log_bytes: sizeOf(`${path}-wal`) };
}

/** The size of a file in bytes, or 0 if it cannot be found or read. The store itself reports such a fault. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
