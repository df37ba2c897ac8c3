/** The standalone server's command line. */

import { postgresGrants, postgresSchema } from "../stores/postgres/postgres_store.ts";
import { VERSION } from "../version.ts";
import { HELP } from "./help.ts";
import { oneLine } from "./log/messages.ts";
import { readVariable } from "./process.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";
import { SettingError, UnreachableError } from "./start_error.ts";
import { within } from "./time.ts";
import { createWriters, inTurn } from "./writers.ts";

/** How long writing the last lines to standard output and standard error may take, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/** The texts that some flags print instead of starting a server. */
const TEXTS = { help: () => HELP, version: () => `petstore ${VERSION}`, schema: schemaText };

/**
 * Runs the server until a signal ends it.
 *
 * @param args The arguments of the command line.
 * @returns The exit status: 0 after an orderly end, 2 if a setting is invalid, 1 if a later start may succeed.
 */
export async function run(args: string[]): Promise<number> {
  let isHeard = true;
  const sinks = { output: inTurn(Deno.stdout), errors: inTurn(Deno.stderr) };
  const { output, errors } = createWriters(sinks, () => isHeard = false);
  let status = 0;
  try {
    const command = readSettings(args, readVariable);
    if ("settings" in command) {
      await serve(command.settings, { output, errors }, sinks);
    } else {
      output.add(TEXTS[command.print]().trimEnd());
      await output.flush();
      if (!isHeard) status = 1;
    }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    errors.add(`petstore: ${oneLine(error.message)}`);
    // Supervisors must not restart after 2, because the next start would fail in the same way.
    status = error instanceof UnreachableError ? 1 : 2;
  }
  await within(FLUSH_TIMEOUT, Promise.all([output.flush(), errors.flush()]).then(() => {}));
  return status;
}

/** The SQL for an administrator. The grants are commented out, because they depend on the name of a role. */
function schemaText(): string {
  const grants = postgresGrants("petstore_server").replaceAll(/^(?=.)/gm, "-- ");
  return `${postgresSchema()}\n-- For a role that is not the owner, here petstore_server, and again after an upgrade:\n${grants}`;
}
