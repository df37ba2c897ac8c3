import { loadPostgres } from "../settings/store_setting.ts";
import { declareCommand } from "./command.ts";

/**
 * The role in the printed grants. It is an example: the administrator replaces the name by that of
 * the server's role.
 */
const ROLE = "petstore_server";

export const SCHEMA = declareCommand({
  summary: "print the SQL that creates the tables of a PostgreSQL store",
  options: {},
  about:
    "An administrator applies this SQL if the role of the server may not create a schema. The grants for that role are comments, because " +
    "they depend on its name. The SQL can be applied again, as is needed after an upgrade. The command needs the package " +
    "@petstore/postgres.",
  examples: ["petstore schema | psql postgres://owner@db.example/pets"],
  async run(_, { output }) {
    const { postgresGrants, postgresSchema } = await loadPostgres();
    // The grants become comments. An empty line stays empty.
    const grants = postgresGrants(ROLE).trimEnd().replaceAll(/^(?=.)/gm, "-- ");
    output.add(
      `${postgresSchema()}\n-- For a role that is not the owner, here ${ROLE}, and again after an upgrade:\n${grants}`,
    );
  },
});
