/** The metrics of a server: counts of requests, commits and failures, in memory that no client can make grow, and present sizes. */

import { statSync } from "node:fs";
import process from "node:process";
import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import type { Reply } from "../../http/reply.ts";
import type { CommittingStore } from "../../stores/batch.ts";
import { SqliteStore } from "../../stores/sqlite/sqlite_store.ts";
import type { PetStore } from "../../stores/store.ts";
import { VERSION } from "../process/version.ts";
import { METHODS } from "./logged_target.ts";
import { formatFamilies, Histogram, label } from "./samples.ts";

/** A store with a pool of connections to a database. */
interface PooledStore {
  /** `size` is how many connections there may be. Each running statement has one, and each waiting statement waits for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

/** A store. Its batch and its pool are read if it has them; the store in memory has neither. */
export type ObservedStore = Partial<PetStore & CommittingStore & PooledStore>;

/** Stands for unknown methods, of which a client could make up any number. */
const OTHER = "other";

export class Metrics {
  // Counts by the text of their labels. Their values are few: an app can add neither templates of routes nor error codes.
  readonly #requests = new Map<string, number>();
  readonly #errors = new Map<string, number>();
  readonly #deprecatedRequests = new Map<string, number>();
  /** The durations of requests by the template of the route, or by "" for requests without a route. */
  readonly #durations = new Map<string, Histogram>();
  readonly #commitDurations = new Histogram();
  #storeErrors = 0;
  /** It is empty until the store of the server is open. */
  #store: ObservedStore = {};

  /** Counts the commits of a store from now on, and reads its sizes. */
  watch(store: ObservedStore): void {
    this.#store = store;
    if (store.batch) store.batch.onCommit = (_, milliseconds) => this.#commitDurations.add(milliseconds);
  }

  readonly observe: Observer = (context, reply, startedAt, endedAt) => {
    const { method, route = "", caller } = context;
    const { status, code } = reply;
    this.#durationsOf(route).add(endedAt - startedAt);
    // A known method, the template of a route and an error code need no escape sequences.
    increment(
      this.#requests,
      `method="${METHODS.has(method) ? method : OTHER}",status="${status}",route="${route}"`,
    );
    if (code !== undefined) increment(this.#errors, `code="${code}"`);
    if (caller && isDeprecatedCall(context, reply)) {
      increment(this.#deprecatedRequests, `${label("caller", caller.id)},route="${route}"`);
    }
  };

  #durationsOf(route: string): Histogram {
    let durations = this.#durations.get(route);
    if (!durations) {
      durations = new Histogram();
      this.#durations.set(route, durations);
    }
    return durations;
  }

  onStoreError(): void {
    this.#storeErrors++;
  }

  /** The text for a scrape: the counts until now, and the present sizes. */
  format(): string {
    const { batch, pool } = this.#store;
    const path = this.#store instanceof SqliteStore ? this.#store.path : undefined;
    const durations = new Map(Array.from(this.#durations, ([route, each]) => [`route="${route}"`, each]));
    const statements = new Map<string, number>();
    if (pool) statements.set('state="running"', pool.running).set('state="waiting"', pool.waiting);
    return formatFamilies({
      petstore_requests_total: [
        "counter",
        "Answered requests. The route is empty if none matched, or none was looked for.",
        this.#requests,
      ],
      petstore_errors_total: ["counter", "Responses that are errors, by the code that their body has.", this.#errors],
      petstore_request_duration_seconds: ["histogram", "Time until the response was ready.", durations],
      petstore_deprecated_requests_total: [
        "counter",
        "Requests to the deprecated operation by caller.",
        this.#deprecatedRequests,
      ],
      petstore_creates_waiting: ["gauge", "Creates that wait for their commit.", single(batch?.unsettled ?? 0)],
      petstore_commit_duration_seconds: ["histogram", "Time of a commit.", single(this.#commitDurations)],
      petstore_postgres_pool_size: [
        "gauge",
        "Connections to PostgreSQL that this server may have, but for those of API keys.",
        single(pool?.size),
      ],
      petstore_postgres_statements: [
        "gauge",
        "Statements that run on these connections, or wait for one.",
        statements,
      ],
      petstore_store_errors_total: [
        "counter",
        "Requests that failed because the store was unavailable.",
        single(this.#storeErrors),
      ],
      petstore_build_info: [
        "gauge",
        "Always 1. The labels are the release and the runtime.",
        new Map([[`runtime="${RUNTIME}",version="${VERSION}"`, 1]]),
      ],
      petstore_database_bytes: ["gauge", "Size of the SQLite file.", single(sizeOf(path))],
      petstore_database_log_bytes: [
        "gauge",
        "Size of the write-ahead log beside the SQLite file.",
        single(sizeOf(path, "-wal")),
      ],
      process_resident_memory_bytes: ["gauge", "Memory of the process.", single(process.memoryUsage().rss)],
      process_start_time_seconds: [
        "gauge",
        "When the process started, since 1970.",
        single(performance.timeOrigin / 1000),
      ],
    });
  }
}

/** Makes the map of a metric without labels. The map is empty if the metric has no value. */
function single<Value>(value: Value | undefined): Map<string, Value> {
  return new Map(value === undefined ? [] : [["", value]]);
}

function increment(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1);
}

/** Whether a request has called a deprecated operation. Each response of its route has the field, also if no operation was called. */
function isDeprecatedCall({ method }: RequestContext, { status, headers }: Reply): boolean {
  const hasCalledOperation = method !== "OPTIONS" && status !== 405;
  return hasCalledOperation && "deprecation" in headers;
}

const { deno, node } = process.versions;
const RUNTIME = deno === undefined ? `node ${node}` : `deno ${deno}`;

/**
 * The size of the file at a path, or of the file beside it with this end, in bytes. It is 0 if the file cannot be found or read: the store
 * itself reports such a fault.
 */
function sizeOf(path: string | undefined, end = ""): number | undefined {
  if (path === undefined) return undefined;
  try {
    return statSync(path + end).size;
  } catch {
    return 0;
  }
}
