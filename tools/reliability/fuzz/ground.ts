/** What a search sends its requests to: a petstore on each store, or standalone servers that share a port. */

import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { createPetstore, type ErrorInfo } from "../../../mod.ts";
import { openApiOf } from "../../../tests/support/descriptions.ts";
import { createResponseValidator, type ResponseValidator } from "../../../tests/support/openapi_validator.ts";
import { STORE_KINDS, type StoreKind, withStore } from "../../../tests/support/stores.ts";
import type { ModelSettings } from "./model.ts";
import { KEY, MAX_BODY_BYTES } from "./settings.ts";

export type Handle = (request: Request) => Promise<Response>;

export interface Ground {
  settings: ModelSettings;
  origin: string;
  validate: ResponseValidator;
  /** Hands over petstores without a pet, and a function that returns what their operator was told, if anything. */
  use(run: (handles: readonly Handle[], findFailure: () => unknown) => Promise<void>): Promise<void>;
}

/** The stores whose responses must not differ: those of the tests, and SQLite without a file. */
export const FUZZED_STORES: readonly StoreKind[] = [
  ...STORE_KINDS.filter(({ isVariant }) => !isVariant),
  { name: "SQLite without a file", sharing: "none", open: () => createSqliteStore(":memory:") },
];

const LIMITS = { maxBodyBytes: MAX_BODY_BYTES };
const VALIDATE = createResponseValidator(openApiOf(LIMITS), "/v1");

/** @param wrap Wraps the petstores in a defect that is to be found. */
export function onStores(stores: readonly StoreKind[], wrap = (handle: Handle) => handle): Ground {
  return {
    settings: { key: KEY, ...LIMITS },
    origin: "http://petstore.test",
    validate: VALIDATE,
    async use(run) {
      const failures: unknown[] = [];
      const onError = ({ error }: ErrorInfo) => failures.push(error);
      const open = async ([kind, ...rest]: readonly StoreKind[], handles: Handle[]): Promise<void> => {
        if (kind === undefined) return await run(handles, () => failures[0]);
        await withStore(kind, async (store) => {
          const { handle } = createPetstore({ keys: [KEY], store, ...LIMITS, requestIds: "none", onError });
          await open(rest, [...handles, wrap(handle)]);
        });
      };
      await open(stores, []);
    },
  };
}
