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
import { createCounter, createHistogram, type Family, formatFamilies, formatLabels } from "./families.ts";
import { METHODS } from "./logged_target.ts";

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
  // The values of labels are few: an app can add neither templates of routes nor error codes. The route is "" if there is none.
  readonly #requests = createCounter(
    "Answered requests. The route is empty if none matched, or none was looked for.",
    "method",
    "status",
    "route",
  );
  readonly #errors = createCounter("Responses that are errors, by the code that their body has.", "code");
  readonly #durations = createHistogram("Time until the response was ready.", "route");
  readonly #deprecated = createCounter("Requests to the deprecated operation by caller.", "caller", "route");
  readonly #commits = createHistogram("Time of a commit.");
  readonly #storeErrors = createCounter("Requests that failed because the store was unavailable.");
  /** It is empty until the store of the server is open. */
  #store: ObservedStore = {};

  /** Counts the commits of a store from now on, and reads its sizes. */
  watch(store: ObservedStore): void {
    this.#store = store;
    if (store.batch) store.batch.onCommit = (_, milliseconds) => this.#commits.add(milliseconds);
  }

  readonly observe: Observer = (context, reply, startedAt, endedAt) => {
    const { method, route = "", caller } = context;
    this.#requests.add(METHODS.has(method) ? method : OTHER, String(reply.status), route);
    this.#durations.add(endedAt - startedAt, route);
    if (reply.code !== undefined) this.#errors.add(reply.code);
    if (caller && isDeprecatedCall(context, reply)) this.#deprecated.add(caller.id, route);
  };

  onStoreError(): void {
    this.#storeErrors.add();
  }

  /** The text for a scrape. */
  format(): string {
    const { batch, pool } = this.#store;
    const path = this.#store instanceof SqliteStore ? this.#store.files?.path : undefined;
    const { deno, node } = process.versions;
    const runtime = deno === undefined ? `node ${node}` : `deno ${deno}`;
    return formatFamilies({
      petstore_requests_total: this.#requests,
      petstore_errors_total: this.#errors,
      petstore_request_duration_seconds: this.#durations,
      petstore_deprecated_requests_total: this.#deprecated,
      petstore_creates_waiting: gauge("Creates that wait for their commit.", { "": batch?.unsettled ?? 0 }),
      petstore_commit_duration_seconds: this.#commits,
      petstore_postgres_pool_size: gauge(
        "Connections to PostgreSQL that this server may have, but for those of API keys.",
        pool && { "": pool.size },
      ),
      petstore_postgres_statements: gauge(
        "Statements that run on these connections, or wait for one.",
        pool && { '{state="running"}': pool.running, '{state="waiting"}': pool.waiting },
      ),
      petstore_store_errors_total: this.#storeErrors,
      petstore_build_info: gauge("Always 1. The labels are the release and the runtime.", {
        [formatLabels({ runtime, version: VERSION })]: 1,
      }),
      petstore_database_bytes: gauge("Size of the SQLite file.", sizeOf(path)),
      petstore_database_log_bytes: gauge("Size of the write-ahead log beside the SQLite file.", sizeOf(path, "-wal")),
      process_resident_memory_bytes: gauge("Memory of the process.", { "": process.memoryUsage().rss }),
      process_start_time_seconds: gauge("When the process started, since 1970.", {
        "": performance.timeOrigin / 1000,
      }),
    });
  }
}

/** Whether a request has called a deprecated operation. Each response of its route has the field, also if no operation was called. */
function isDeprecatedCall({ method }: RequestContext, { status, headers }: Reply): boolean {
  const hasCalledOperation = method !== "OPTIONS" && status !== 405;
  return hasCalledOperation && "deprecation" in headers;
}

/** @param values The values by their labels. There are none if the store has no such thing. */
function gauge(help: string, values: Readonly<Record<string, number>> = {}): Family {
  return { type: "gauge", help, read: () => Object.entries(values) };
}

/** The size of a file in bytes, or 0 if it cannot be found or read: the store itself reports such a fault. Without a path, there is none. */
function sizeOf(path: string | undefined, end = ""): Record<string, number> {
  if (path === undefined) return {};
  try {
    return { "": statSync(path + end).size };
  } catch {
    return { "": 0 };
  }
}
