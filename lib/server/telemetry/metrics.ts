/**
 * The metrics of a server: counts of requests, commits and failures, in memory that no client can
 * make grow, and present sizes. They are served at a separate address, so that clients of the API need
 * no access to it.
 */

import { statSync } from "node:fs";
import process from "node:process";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import { Problem } from "../../http/problem.ts";
import type { Reply } from "../../http/reply.ts";
import { isGetOf } from "../../http/request_text.ts";
import type { CommittingStore } from "../../stores/database/batch.ts";
import type { SqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { PetStore } from "../../stores/store.ts";
import { formatAddress } from "../process/messages.ts";
import type { Address, Gate, Listen } from "../process/runtime.ts";
import { VERSION } from "../process/version.ts";
import type { Report } from "../process/writers.ts";
import { METHODS } from "./logged_target.ts";
import { createCounter, createGauge, createHistogram, formatMetrics, label, UNLABELLED } from "./samples.ts";

/** A store. Its batch, its pool and the path of its file are read if it has them; the store in memory has none. */
export interface ObservedStore extends Partial<PetStore & CommittingStore & Pick<SqliteStore, "path">> {
  /**
   * `size` is how many connections there may be. Each running statement has one, and each waiting
   * statement waits for one.
   */
  readonly pool?: Record<"size" | "running" | "waiting", number>;
}

const { deno, node } = process.versions;
const RUNTIME = deno === undefined ? `node ${node}` : `deno ${deno}`;

export class Metrics {
  /** It is empty until the store of the server is open. */
  #store: ObservedStore = {};

  /** Every metric. The values of labels are few: an app can add neither templates of routes nor error codes. */
  readonly #metrics = {
    petstore_requests_total: createCounter(
      "Answered requests. The route is empty if none matched, or none was looked for.",
    ),
    petstore_errors_total: createCounter("Responses that are errors, by the code that their body has."),
    petstore_request_duration_seconds: createHistogram("Time until the response was ready."),
    petstore_deprecated_requests_total: createCounter("Requests to the deprecated operation by caller."),
    petstore_creates_waiting: createGauge(
      "Creates that wait for their commit.",
      () => this.#store.batch?.unsettled ?? 0,
    ),
    petstore_commit_duration_seconds: createHistogram("Time of a commit.", UNLABELLED),
    petstore_postgres_pool_size: createGauge(
      "Connections to PostgreSQL that this server may have, but for those of API keys.",
      () => this.#store.pool?.size,
    ),
    petstore_postgres_statements: createGauge("Statements that run on these connections, or wait for one.", () => {
      const { pool } = this.#store;
      return pool && new Map([['state="running"', pool.running], ['state="waiting"', pool.waiting]]);
    }),
    petstore_store_errors_total: createCounter(
      "Requests that failed because the store was unavailable.",
      UNLABELLED,
    ),
    petstore_build_info: createGauge(
      "Always 1. The labels are the release and the runtime.",
      () => new Map([[`runtime="${RUNTIME}",version="${VERSION}"`, 1]]),
    ),
    petstore_database_bytes: createGauge("Size of the SQLite file.", () => sizeOf(this.#store.path)),
    petstore_database_log_bytes: createGauge(
      "Size of the write-ahead log beside the SQLite file.",
      () => sizeOf(this.#store.path, "-wal"),
    ),
    process_resident_memory_bytes: createGauge("Memory of the process.", () => process.memoryUsage().rss),
    process_start_time_seconds: createGauge(
      "When the process started, since 1970.",
      () => performance.timeOrigin / 1000,
    ),
  };

  /** Counts the commits of a store from now on, and measures its sizes. */
  watch(store: ObservedStore): void {
    this.#store = store;
    const { petstore_commit_duration_seconds: durations } = this.#metrics;
    if (store.batch) store.batch.onCommit = (_, milliseconds) => durations.add(UNLABELLED, milliseconds);
  }

  readonly observe: Observer = (context, reply, startedAt, endedAt) => {
    const { method, caller } = context;
    const { status, code } = reply;
    // A known method, the template of a route and an error code need no escape sequences.
    const route = `route="${context.route ?? ""}"`;
    this.#metrics.petstore_request_duration_seconds.add(route, endedAt - startedAt);
    // A client could make up any number of unknown methods.
    const shownMethod = METHODS.has(method) ? method : "other";
    this.#metrics.petstore_requests_total.add(`method="${shownMethod}",status="${status}",${route}`);
    if (code !== undefined) this.#metrics.petstore_errors_total.add(`code="${code}"`);
    if (caller && isDeprecatedCall(context, reply)) {
      this.#metrics.petstore_deprecated_requests_total.add(`${label("caller", caller.id)},${route}`);
    }
  };

  onStoreError(): void {
    this.#metrics.petstore_store_errors_total.add(UNLABELLED);
  }

  /** The text for a scrape: the counts until now, and the present sizes. */
  format(): string {
    return formatMetrics(this.#metrics);
  }
}

/**
 * Whether a request has called a deprecated operation. Each response of its route has the field,
 * also if no operation was called.
 */
function isDeprecatedCall({ method }: RequestContext, { status, headers }: Reply): boolean {
  const hasCalledOperation = method !== "OPTIONS" && status !== 405;
  return hasCalledOperation && "deprecation" in headers;
}

/**
 * The size of the file at a path, or of the file beside it with this end, in bytes. It is 0 if the
 * file cannot be found or read: the store itself reports such a fault.
 */
function sizeOf(path: string | undefined, end = ""): number | undefined {
  if (path === undefined) return undefined;
  try {
    return statSync(path + end).size;
  } catch {
    return 0;
  }
}

const HEADERS = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };

const NOT_FOUND = new Problem(404, "route_not_found", "There is only GET /metrics here");

/** A server of metrics, and what it serves. */
export interface MetricsServer {
  metrics: Metrics;
  /** The address of the metrics. */
  url: string;
  /** Accepts no more connections. Those of scrapes that are under way end with the process. */
  stop(): void;
}

/**
 * Listens for scrapes.
 *
 * @throws {SettingError} If it cannot listen at this address.
 */
export async function serveMetrics(
  address: Omit<Address, "flag">,
  listen: Listen,
  report: Report,
): Promise<MetricsServer> {
  const metrics = new Metrics();
  const gate: Gate = {
    respond(context, send) {
      if (!isGetOf("/metrics", context)) return send(NOT_FOUND);
      return send({ status: 200, headers: HEADERS, body: metrics.format() });
    },
  };
  const { port, stop } = await listen({ ...address, flag: "--metrics" }, gate, report);
  return {
    metrics,
    url: `http://${formatAddress({ ...address, port })}/metrics`,
    stop,
  };
}
