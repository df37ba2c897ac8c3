/**
 * The store on PostgreSQL, which is in the package @petstore/postgres. It is loaded by its name
 * when a setting asks for it, so that a server on SQLite needs neither the package nor its driver.
 */

import type { Environment } from "../settings/environment.ts";
import { checkAsSetting } from "../settings/formats.ts";
import { firstLine, SettingError } from "../process/start_error.ts";
import type { SharedStore } from "./store_setting.ts";

/** What the server uses of the package. */
export interface PostgresModule {
  /**
   * Nothing is opened before a method of the result is called. No method needs its `this`.
   *
   * @throws {TypeError} If the address is invalid.
   */
  readPostgresSetting(address: string, password: string | undefined): SharedStore;
  postgresSchema(): string;
  postgresGrants(role: string): string;
}

/** The type is `string`, because Deno would load a package whose name is a literal at every start. */
const PACKAGE: string = "@petstore/postgres/server";

/** @throws {SettingError} If the package is not installed. */
export async function loadPostgres(): Promise<PostgresModule> {
  try {
    return await import(PACKAGE);
  } catch (error) {
    throw new SettingError(
      `The store on PostgreSQL cannot be loaded: ${firstLine(error)}; install it by npm install @petstore/postgres, ` +
        "or on Deno by deno add jsr:@petstore/postgres",
    );
  }
}

/** @throws {SettingError} If the address is invalid, or the package is not installed. */
export async function readPostgresStore(address: string, environment: Environment): Promise<SharedStore> {
  const { readPostgresSetting } = await loadPostgres();
  return checkAsSetting(() => readPostgresSetting(address, environment("PGPASSWORD")));
}
