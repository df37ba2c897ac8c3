/** Counts requests, commits and failures, in constant memory. */

import type { Observer } from "../../http/finisher.ts";
import type { CommittingStore } from "../../stores/batch.ts";
import type { PetStore } from "../../stores/store.ts";
import { METHODS } from "./logged_target.ts";
import { createHistogram, type Histogram, labels, type Samples } from "./samples.ts";

const OTHER = "other";

/** How many callers of a deprecated route are counted separately. */
const MAX_CALLERS = 100;

/** The upper bounds of the buckets of a histogram, in seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The counts of a route. */
interface Route {
  durations: Histogram;
  /** How many responses there were, by method and then by status. */
  counts: Map<string, number[]>;
  /** How many requests each caller has sent, if the route is deprecated. */
  callers: Map<string, number>;
}

/** A store with a pool of connections to a database. */
interface PooledStore {
  /** How many connections there may be, and how many statements run on one or wait for one. */
  readonly pool: Record<"size" | "running" | "waiting", number>;
}

/** A store, whose parts are counted if it has them. That in memory has none. */
export type ObservedStore = Partial<PetStore & CommittingStore & PooledStore>;

export class Metrics {
  /** The counts by the template of a route, of which there are few. Requests without a route have "". */
  readonly #routes = new Map<string, Route>();
  readonly #commitSeconds = createHistogram(SECONDS);
  /** Responses by their error code. An app cannot add codes, so there are few. */
  readonly #errors = new Map<string, number>();
  #storeErrors = 0;
  readonly #store: ObservedStore;

  constructor(store: ObservedStore) {
    this.#store = store;
    if (store.batch) store.batch.onCommit = (_, milliseconds) => this.#commitSeconds.add(milliseconds / 1000);
  }

  readonly observe: Observer = ({ method, route = "", caller }, { status, headers, code }, startedAt, endedAt) => {
    let counted = this.#routes.get(route);
    if (!counted) {
      this.#routes.set(route, counted = { durations: createHistogram(SECONDS), counts: new Map(), callers: new Map() });
    }
    const known = METHODS.has(method) ? method : OTHER;
    let counts = counted.counts.get(known);
    if (!counts) counted.counts.set(known, counts = []);
    counts[status] = (counts[status] ?? 0) + 1;
    if (code !== undefined) this.#errors.set(code, (this.#errors.get(code) ?? 0) + 1);
    counted.durations.add((endedAt - startedAt) / 1000);
    // All responses of a deprecated route are marked, also those without the operation: to OPTIONS, and to other methods.
    const isOperation = method !== "OPTIONS" && status !== 405;
    if (caller && isOperation && "deprecation" in headers) countCaller(counted, caller.id);
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
    for (const [route, { durations, counts, callers }] of this.#routes) {
      for (const [method, byStatus] of counts) {
        byStatus.forEach((count, status) => {
          samples[`petstore_requests_total${labels({ method, status: String(status), route })}`] = count;
        });
      }
      Object.assign(samples, durations.read("petstore_request_duration_seconds", { route }));
      for (const [caller, count] of callers) {
        samples[`petstore_deprecated_requests_total${labels({ caller, route })}`] = count;
      }
    }
    return samples;
  }
}

function countCaller({ callers }: Route, id: string): void {
  const shown = id.toWellFormed();
  const caller = callers.has(shown) || callers.size < MAX_CALLERS ? shown : OTHER;
  callers.set(caller, (callers.get(caller) ?? 0) + 1);
}
