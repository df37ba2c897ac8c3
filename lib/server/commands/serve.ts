import { serve } from "../serving/serve.ts";
import { FILE_VARIABLES } from "../settings/environment.ts";
import { SETTINGS } from "../settings/server_settings.ts";
import { declareCommand } from "./command.ts";

const FILE_NAMES = new Intl.ListFormat("en-GB").format(FILE_VARIABLES);

export const SERVE = declareCommand({
  summary: "serve the API, until SIGTERM or Ctrl-C",
  options: SETTINGS,
  about:
    "Flags override the environment. In a variable, commas separate several values, and a switch is on or off. Keys and " +
    "passwords in flags are visible in the list of processes, so prefer the " +
    `environment, or files: set ${FILE_NAMES} to the path of a file that contains the value of the variable without _FILE.\n\n` +
    "A postgres:// address needs the package @petstore/postgres. For parts that the address omits, its driver reads " +
    "PostgreSQL's own variables, such as PGHOST, PGUSER and PGPASSWORD. The address may have the parameters pool_size (the " +
    "number of connections), schema (the schema of the tables) and prepare (false for a PgBouncer that does not support " +
    "prepared statements).",
  examples: [
    "petstore serve",
    "petstore serve --port 9000 --store sqlite:/var/lib/pets.db",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore serve",
  ],
  mayLoseOutput: true,
  run: (settings, context) => serve(settings, context),
});
