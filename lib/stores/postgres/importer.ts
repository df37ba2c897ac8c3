import type { PetImporter } from "../pet_importer.ts";
import type { PostgresClientMaker, PostgresStoreOptions } from "./client/client.ts";
import { addPets, petArrays } from "./commit.ts";
import { openDatabase } from "./schema/schema.ts";

/** In milliseconds. A statement also waits for the creates of the servers. */
const TIMEOUT = 30_000;

export async function openPostgresImporter(
  makeClient: PostgresClientMaker,
  options: PostgresStoreOptions,
): Promise<PetImporter> {
  const db = await openDatabase(makeClient, { timeoutMs: TIMEOUT, ...options });
  const followers = `SELECT digest, records::pg_catalog.text, pets::pg_catalog.text FROM "${db.schema}".imports
    WHERE parent OPERATOR(pg_catalog.=) $1::pg_catalog.text`;
  const add =
    `SELECT "${db.schema}".import_pets($1::pg_catalog.text[], $2::bigint[], $3::smallint[], $4::pg_catalog.text,
    $5::pg_catalog.text, $6::integer, $7::integer)`;
  return {
    isNew: db.isNew,
    async followers(parent) {
      const rows = await db.query(followers, [parent]);
      return rows.map(([digest, records, pets]) => ({
        digest: String(digest),
        records: Number(records),
        pets: Number(pets),
      }));
    },
    async add({ parent, digest, records, pets }, known) {
      const parameters = [...petArrays(pets), parent, digest, String(records), String(known)];
      return await addPets(db, add, parameters, performance.now() + db.timeoutMs) === "added";
    },
    close: () => db.release(),
  };
}
