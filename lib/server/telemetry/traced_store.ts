/** A store with a span for each operation (semantic conventions for databases). */

import { attempt, chain, type MaybePromise } from "../../maybe_promise.ts";
import type { PetStore } from "../../stores/store.ts";
import { ERROR_STATUS_CODE, KIND, type Traces } from "./traces.ts";

/** The methods without a span. `changes` is called for each cached response, and costs less than a span. */
const UNTRACED: unknown[] = ["changes", "close"] satisfies (keyof PetStore)[];

/** A method of a store, whichever. */
type Method = (...args: unknown[]) => MaybePromise<unknown>;

/**
 * Adds a span below the active one for each operation. Results that are ready stay so, and the optional methods of the store stay
 * optional.
 *
 * @param setting Names the store, such as `sqlite:pets.db`.
 */
export function traceStore(store: PetStore, setting: string, { tracer, activeSpan }: Traces): PetStore {
  const [scheme = ""] = setting.split(":", 1);
  // As the conventions name it.
  const system = scheme === "postgres" ? "postgresql" : scheme;
  // The other databases are in this process.
  const kind = system === "postgresql" ? KIND.client : KIND.internal;

  function traced(operation: string, run: Method): Method {
    return (...args) => {
      // The request is not traced.
      if (!activeSpan()) return run(...args);
      const attributes = { "db.system.name": system, "db.operation.name": operation, "db.collection.name": "pets" };
      const span = tracer.startSpan(`${operation} pets`, { kind, attributes });
      const end = (result: unknown) => {
        span.end();
        return result;
      };
      return attempt(() => chain(run(...args), end), (thrown) => {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        span.recordException(error);
        span.setAttributes({ "error.type": error.name });
        span.setStatus({ code: ERROR_STATUS_CODE, message: error.message });
        span.end();
        throw thrown;
      });
    };
  }

  return new Proxy(store, {
    get(_, name) {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== "function") return member;
      const method: Method = member.bind(store);
      return typeof name !== "string" || UNTRACED.includes(name) ? method : traced(name, method);
    },
  });
}
