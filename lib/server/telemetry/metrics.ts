/** Counts requests, commits and failures for `/metrics`, in memory that no client can make grow. */

import type { RequestContext } from "../../http/context.ts";
import type { Observer } from "../../http/finisher.ts";
import type { Reply } from "../../http/reply.ts";
import type { CommittingStore } from "../../stores/batch.ts";
import type { PetStore } from "../../stores/store.ts";
import { METHODS } from "./logged_target.ts";
import { createHistogram, type Histogram, labels, type Samples } from "./samples.ts";

/** Stands for unknown methods, of which a client could make up any number. */
const OTHER = "other";

/** The upper bounds of the buckets of each histogram, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface RouteCounts {
  durations: Histogram;
  /** The number of responses by method, and then by status. */
  responses: Map<string, Map<number, number>>;
  /** The number of requests by caller. It is empty if the route is not deprecated. */
  callers: Map<string, number>;
}

/** A store with a pool of connections to a database. */
interface PooledStore {
  /** `size` is how many connections there may be. Each running statement has one, and each waiting statement waits for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

/** A store. Its batch and its pool are read if it has them; the store in memory has neither. */
export type ObservedStore = Partial<PetStore & CommittingStore & PooledStore>;

export class Metrics {
  /** The counts by the template of a route, or "" for requests without a route. There are few templates. */
  readonly #routes = new Map<string, RouteCounts>();
  readonly #commitSeconds = createHistogram(BOUNDS);
  /** The number of responses by error code. An app cannot add codes, so there are few. */
  readonly #errors = new Map<string, number>();
  #storeErrors = 0;
  readonly #store: ObservedStore;

  constructor(store: ObservedStore) {
    this.#store = store;
    if (store.batch) store.batch.onCommit = (_, milliseconds) => this.#commitSeconds.add(milliseconds / 1000);
  }

  readonly observe: Observer = (context, reply, startedAt, endedAt) => {
    const { method, route = "", caller } = context;
    const counts = findOrAdd(this.#routes, route, createRouteCounts);
    counts.durations.add((endedAt - startedAt) / 1000);
    const byStatus = findOrAdd(counts.responses, METHODS.has(method) ? method : OTHER, createCounts);
    increment(byStatus, reply.status);
    if (reply.code !== undefined) increment(this.#errors, reply.code);
    if (caller && isDeprecatedCall(context, reply)) increment(counts.callers, caller.id);
  };

  onStoreError(): void {
    this.#storeErrors++;
  }

  /** Reads the counts, as samples for a scrape. */
  read(): Samples {
    const { batch, pool } = this.#store;
    const samples: Samples = {
      petstore_creates_waiting: batch?.unsettled ?? 0,
      ...this.#commitSeconds.read("petstore_commit_duration_seconds"),
      petstore_store_errors_total: this.#storeErrors,
      ...pool && {
        petstore_postgres_pool_size: pool.size,
        [`petstore_postgres_statements${labels({ state: "running" })}`]: pool.running,
        [`petstore_postgres_statements${labels({ state: "waiting" })}`]: pool.waiting,
      },
    };
    for (const [code, count] of this.#errors) samples[`petstore_errors_total${labels({ code })}`] = count;
    for (const [route, counts] of this.#routes) Object.assign(samples, readCounts(route, counts));
    return samples;
  }
}

function createRouteCounts(): RouteCounts {
  return { durations: createHistogram(BOUNDS), responses: new Map(), callers: new Map() };
}

function createCounts(): Map<number, number> {
  return new Map();
}

/** Finds the value of a key. If there is none, adds a new one. */
function findOrAdd<Key, Value>(values: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = create();
    values.set(key, value);
  }
  return value;
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The field Deprecation is in each response of a deprecated route, also if no operation was called. */
function isDeprecatedCall({ method }: RequestContext, { status, headers }: Reply): boolean {
  const hasCalledOperation = method !== "OPTIONS" && status !== 405;
  return hasCalledOperation && "deprecation" in headers;
}

/** The samples of one route. */
function readCounts(route: string, { durations, responses, callers }: RouteCounts): Samples {
  const samples = durations.read("petstore_request_duration_seconds", { route });
  for (const [method, byStatus] of responses) {
    for (const [status, count] of byStatus) {
      samples[`petstore_requests_total${labels({ method, status: String(status), route })}`] = count;
    }
  }
  for (const [caller, count] of callers) {
    samples[`petstore_deprecated_requests_total${labels({ caller, route })}`] = count;
  }
  return samples;
}
