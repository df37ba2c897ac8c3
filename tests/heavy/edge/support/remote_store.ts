/** A store in a Worker, through the Worker of store_worker.ts. */

import { StoreUnavailableError } from "../../../../lib/stores/store.ts";
import type { IdempotentOutcome, KeyStore, PetPage, PetStore, StoredKey } from "../../../../lib/stores/store.ts";
import { decode, encode } from "./remote_values.ts";

/** The response body of store_worker.ts. The head of the response arrives as soon as the method has started. */
interface Outcome<T> {
  value?: T;
  error?: { name: string; message: string };
}

/** @param url Where the methods are, such as `http://127.0.0.1:1234/d1/DB7/first`. */
export function remoteStore(url: string): PetStore {
  /** The calls that the Worker may not have begun. */
  const sent = new Set<Promise<unknown>>();
  const call = async <T>(method: string, ...args: unknown[]): Promise<T> => {
    const response = fetch(`${url}/${method}`, { method: "POST", body: encode([clockAhead(), ...args]) });
    sent.add(response);
    const isBegun = () => void sent.delete(response);
    response.then(isBegun, isBegun);
    const { value, error } = decode(await (await response).text()) as Outcome<T>;
    if (error) throw toError(error);
    return value as T;
  };
  const keys: KeyStore = {
    list: () => call<StoredKey[]>("keys.list"),
    add: (...args) => call<boolean>("keys.add", ...args),
    revoke: (...args) => call<boolean>("keys.revoke", ...args),
  };
  return {
    keys,
    create: (...args) => call<bigint>("create", ...args),
    createOnce: (...args) => call<IdempotentOutcome>("createOnce", ...args),
    get: (...args) => call<string | undefined>("get", ...args),
    list: (...args) => call<PetPage>("list", ...args),
    check: () => call<void>("check"),
    checkWrites: () => call<void>("checkWrites"),
    async close() {
      // Other connections could be slower than that of close().
      await Promise.allSettled(sent);
      await call<void>("close");
    },
  };
}

/** The milliseconds by which a case has moved `Date`. The Worker moves its own as far. */
function clockAhead(): number {
  const ahead = Date.now() - (performance.timeOrigin + performance.now());
  return Math.abs(ahead) < 60_000 ? 0 : ahead;
}

function toError({ name, message }: NonNullable<Outcome<unknown>["error"]>): Error {
  return name === "StoreUnavailableError"
    ? new StoreUnavailableError(message)
    : Object.assign(new Error(message), { name });
}
