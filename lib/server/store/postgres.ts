/**
 * The store on PostgreSQL, which is a package of its own. The server loads it by its name when it is asked for, so that a server on
 * SQLite does without it and without its driver.
 */

import type { StoredKey } from "../../stores/key_store.ts";
import type { PetSink } from "../../stores/pet_exporter.ts";
import type { PetDraft } from "../../stores/store.ts";
import type { Environment } from "../settings/flags.ts";
import { firstLine, SettingError, UnreachableError } from "../process/start_error.ts";
import type { OpenStore, StoreSetting } from "./store_setting.ts";

/** What the server uses of the package. */
export interface PostgresModule {
  readPostgresSetting(address: string, password: string | undefined): {
    description: string;
    open(): Promise<OpenStore>;
    listKeys(): Promise<readonly StoredKey[]>;
    check(): Promise<{ faults: string[]; contents: string }>;
    export(write: PetSink): Promise<unknown>;
    import(pets: readonly PetDraft[], signal: AbortSignal): Promise<{ isNew: boolean }>;
  };
  postgresSchema(): string;
  postgresGrants(role: string): string;
}

/** Loads the package. Its name is no literal in the `import()`, because Deno would then load it at every start. */
export async function loadPostgres(name = "@petstore/postgres/server"): Promise<PostgresModule> {
  try {
    return await import(name);
  } catch (error) {
    throw new SettingError(
      `The store on PostgreSQL cannot be loaded: ${firstLine(error)}; install it by npm install @petstore/postgres, ` +
        "or on Deno by deno add jsr:@petstore/postgres",
    );
  }
}

/** @throws {SettingError} If the address is invalid, or the package is not installed. */
export async function readPostgresStore(address: string, environment: Environment): Promise<StoreSetting> {
  const { readPostgresSetting } = await loadPostgres();
  const setting = await explained(() => Promise.resolve(readPostgresSetting(address, environment("PGPASSWORD"))));
  const open = () => explained(() => setting.open());
  return {
    description: setting.description,
    open,
    shared: {
      keys: { place: setting.description, open, list: () => explained(() => setting.listKeys()) },
      check: () => explained(() => setting.check()),
      export: (write) => explained(() => setting.export(write)),
      import: (pets, signal) => explained(() => setting.import(pets, signal)),
    },
  };
}

/** The package says by the class of its errors whether a later attempt may succeed. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, message, mayBeStored } = error as Error & { mayBeStored?: boolean };
    // The import says itself what it means for the pets.
    if (mayBeStored || !/ cannot be opened: |is not valid: /.test(message)) throw error;
    throw name === "StoreUnavailableError" ? new UnreachableError(message) : new SettingError(message);
  }
}
