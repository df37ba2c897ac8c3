import { serve } from "../serving/serve.ts";
import { readSettings } from "../settings/server_settings.ts";
import { FILE_VARIABLES } from "../settings/environment.ts";
import { type SettingName, SETTINGS } from "../settings/flags.ts";
import type { Command } from "./command.ts";

const FILE_LIST = new Intl.ListFormat("en-GB").format(FILE_VARIABLES);

export const SERVE: Command = {
  summary: "serve the API, until SIGTERM or Ctrl-C",
  settings: Object.keys(SETTINGS) as SettingName[],
  about:
    "Flags override the environment. Keys and passwords in flags are visible in the list of processes, so prefer the " +
    `environment, or files: set ${FILE_LIST} to the path of a file that contains the value of the variable without _FILE.\n\n` +
    "A postgres:// address needs the package @petstore/postgres. For parts that the address omits, its driver reads " +
    "PostgreSQL's own variables, such as PGHOST, PGUSER and PGPASSWORD. The address may have the parameters pool_size (the " +
    "number of connections), schema (the schema of the tables) and prepare (false for a PgBouncer that does not support " +
    "prepared statements).",
  examples: [
    "petstore serve",
    "petstore serve --port 9000 --store sqlite:/var/lib/pets.db",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore serve",
  ],
  isDoneWithoutOutput: true,
  async run(args, { writers, runtime }) {
    await serve(readSettings(args), writers, runtime);
    return 0;
  },
};
