/** Imports many pets into a database that servers may be using. */

import type { ImportChunk, KnownChunk, PetImporter } from "../pet_importer.ts";
import { statusCode } from "../status_code.ts";
import { numberArray, textArray } from "./client/arrays.ts";
import { Database, type PostgresClientMaker } from "./client/client.ts";
import { addPets } from "./commit.ts";
import type { PostgresStoreOptions } from "./postgres_store.ts";
import { DEFAULT_SCHEMA, openSchema } from "./schema/schema.ts";
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
  { schema = DEFAULT_SCHEMA, timeoutMs = TIMEOUT, prepare = true }: PostgresStoreOptions,
): Promise<PetImporter> {
  const db = new Database(makeClient, { timeoutMs, prepare });
  try {
    await openSchema(db, schema);
  } catch (error) {
    await db.release();
    throw error;
  }
  return new PostgresImporter(db, schema);
}

class PostgresImporter implements PetImporter {
  readonly #db: Database;
  readonly #statements: ReturnType<typeof importStatements>;

  constructor(db: Database, schema: string) {
    this.#db = db;
    this.#statements = importStatements(schema);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#db.query(this.#statements.one)).length === 0;
  }

  async followers(parent: string): Promise<KnownChunk[]> {
    const rows = await this.#db.query(this.#statements.followers, [parent]);
    return rows.map(([digest, records, pets]) => ({
      digest: String(digest),
      records: Number(records),
      pets: Number(pets),
    }));
  }

  async add({ parent, digest, records, pets }: ImportChunk, known: number): Promise<boolean> {
    const parameters = [
      textArray(pets.map(({ name }) => name)),
      numberArray(pets.map(({ categoryId }) => categoryId)),
      numberArray(pets.map(({ status }) => statusCode(status))),
      ...[parent, digest, String(records), String(known)],
    ];
    const deadline = performance.now() + this.#db.timeoutMs;
    return await addPets(this.#db, this.#statements.add, parameters, deadline) === "added";
  }

  close(): Promise<void> {
    return this.#db.release();
  }
}
