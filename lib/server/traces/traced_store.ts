/** A store with a span for each operation (semantic conventions for databases). */

import { attempt, chain, type MaybePromise } from "../../maybe_promise.ts";
import type { PetStore } from "../../stores/store.ts";
import { ERROR_STATUS_CODE, KIND, type Span, type Traces } from "./api.ts";

/** The names in the conventions of the databases of `--store` settings, if they differ. */
const SYSTEMS: Record<string, string> = { postgres: "postgresql" };

/** Each member of a store. Another member of the contract is a type error until it is here. */
type Members = { [Name in keyof Required<PetStore>]: PetStore[Name] | undefined };

/**
 * Adds a span below the active one for each operation. Results that are ready stay so, and the optional methods of the store stay
 * optional.
 *
 * @param setting Names the store, such as `sqlite:pets.db`.
 */
export function traceStore(store: PetStore, setting: string, { tracer, activeSpan }: Traces): PetStore {
  const [scheme = ""] = setting.split(":", 1);
  const system = SYSTEMS[scheme] ?? scheme;
  // The other databases are in this process.
  const kind = system === "postgresql" ? KIND.client : KIND.internal;

  function traced<Args extends unknown[], Result>(
    operation: keyof PetStore,
    run: (...args: Args) => MaybePromise<Result>,
  ): (...args: Args) => MaybePromise<Result> {
    const name = `${operation} pets`;
    const attributes = {
      "db.system.name": system,
      "db.operation.name": operation,
      "db.collection.name": "pets",
    };
    return (...args) => {
      // The request is not traced.
      if (!activeSpan()) return run.apply(store, args);
      const span = tracer.startSpan(name, { kind, attributes });
      const end = (result: Result) => {
        span.end();
        return result;
      };
      return attempt(() => chain(run.apply(store, args), end), (thrown) => {
        endFailed(span, thrown);
        throw thrown;
      });
    };
  }

  const members: Members = {
    create: traced("create", store.create),
    createOnce: store.createOnce && traced("createOnce", store.createOnce),
    get: traced("get", store.get),
    list: traced("list", store.list),
    // Called for each cached response, and costs less than a span.
    changes: store.changes?.bind(store),
    check: traced("check", store.check),
    checkWrites: store.checkWrites && traced("checkWrites", store.checkWrites),
    // Read at most a few times a second, and mostly not for one request.
    keys: store.keys,
    close: () => store.close(),
  };
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member)) as unknown as PetStore;
}

function endFailed(span: Span, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  span.recordException(error);
  span.setAttribute("error.type", error.name);
  span.setStatus({ code: ERROR_STATUS_CODE, message: error.message });
  span.end();
}
