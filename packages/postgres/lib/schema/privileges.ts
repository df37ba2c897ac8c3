import { StoreUnavailableError } from "@petstore/petstore/store";
import type { StatementQueue } from "../client/statement_queue.ts";
import { DEFAULT_SCHEMA, requireSchemaName } from "../options.ts";
import { missingRightsStatement } from "../statements.ts";

/** The rights that a server needs, besides every function of the schema. */
const PRIVILEGES: readonly (readonly [kind: string, name: string, rights: readonly string[]])[] = [
  ["table", "schema_version", ["SELECT"]],
  ["table", "pets", ["SELECT", "INSERT"]],
  ["table", "requests", ["SELECT", "INSERT", "UPDATE", "DELETE"]],
  ["table", "api_keys", ["SELECT", "INSERT", "UPDATE"]],
  ["sequence", "pet_ids", ["SELECT", "USAGE"]],
  ["sequence", "forgotten_until", ["SELECT", "UPDATE"]],
];

/**
 * The SQL that grants a role the privileges that a server needs, if it does not own the tables. Run
 * it again after each migration.
 *
 * @param role The role as an SQL identifier, quoted if necessary: inserted unchanged.
 * @param schema The schema of the tables. Default: `petstore`.
 * @throws {TypeError} If `schema` is not a valid name.
 */
export function postgresGrants(role: string, schema: string = DEFAULT_SCHEMA): string {
  requireSchemaName(schema);
  const grants = PRIVILEGES.map(([kind, name, rights]) =>
    `GRANT ${rights.join(", ")} ON ${kind.toUpperCase()} "${schema}".${name} TO ${role};\n`
  );
  return `GRANT USAGE ON SCHEMA "${schema}" TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA "${schema}" TO ${role};
${grants.join("")}`;
}

/** @throws {StoreUnavailableError} If the role lacks a privilege, so that the start fails and not the first create. */
export async function requirePrivileges(db: StatementQueue): Promise<void> {
  const wanted = PRIVILEGES.flatMap(([kind, name, rights]) =>
    rights.map((right) => `('${right} on ${name}', has_${kind}_privilege('"${db.schema}".${name}', '${right}'))`)
  );
  const rows = await db.query(missingRightsStatement(db.schema, wanted.join(", ")));
  if (rows.length === 0) return;
  throw new StoreUnavailableError(
    `The role lacks privileges in the schema ${db.schema} (${rows.join(", ")}); have its owner apply the SQL of ` +
      "postgresGrants(), which petstore schema shows too",
  );
}
