/** Imports many pets into a database that servers may be using. */

import type { PetImporter } from "../pet_importer.ts";
import { statusCode } from "../status_code.ts";
import { numberArray, textArray } from "./client/arrays.ts";
import type { PostgresClientMaker, PostgresStoreOptions } from "./client/client.ts";
import { addPets } from "./commit.ts";
import { openDatabase } from "./schema/schema.ts";
import { importStatements } from "./statements.ts";

/** The time limit of a statement, in milliseconds. It also waits for the creates of the servers. */
const TIMEOUT = 30_000;

/**
 * Opens an importer, and creates or migrates the tables as a store does.
 *
 * @throws {StoreUnavailableError} If the database cannot be used or written.
 */
export async function openPostgresImporter(
  makeClient: PostgresClientMaker,
  options: PostgresStoreOptions,
): Promise<PetImporter> {
  const db = await openDatabase(makeClient, { timeoutMs: TIMEOUT, ...options });
  const statements = importStatements(db.schema);
  return {
    isEmpty: async () => (await db.query(statements.one)).length === 0,
    async followers(parent) {
      const rows = await db.query(statements.followers, [parent]);
      return rows.map(([digest, records, pets]) => ({
        digest: String(digest),
        records: Number(records),
        pets: Number(pets),
      }));
    },
    async add({ parent, digest, records, pets }, known) {
      const columns = [
        textArray(pets.map(({ name }) => name)),
        numberArray(pets.map(({ categoryId }) => categoryId)),
        numberArray(pets.map(({ status }) => statusCode(status))),
      ];
      const parameters = [...columns, parent, digest, String(records), String(known)];
      return await addPets(db, statements.add, parameters, performance.now() + db.timeoutMs) === "added";
    },
    close: () => db.release(),
  };
}
