/** The standalone server's command line. */

import { postgresGrants, postgresSchema } from "../stores/postgres/postgres_store.ts";
import { VERSION } from "../version.ts";
import { HELP } from "./help.ts";
import { createLineWriter } from "./log/line_writer.ts";
import { oneLine } from "./log/messages.ts";
import { readVariable } from "./process.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";
import { SettingError, UnreachableError } from "./start_error.ts";
import { within } from "./time.ts";

/** How long standard output and standard error may take to accept their last lines, in milliseconds. */
const FLUSH_TIMEOUT = 1_000;

/** The texts that a flag prints instead of serving. */
const TEXTS = { help: () => HELP, version: () => `petstore ${VERSION}`, schema: schemaText };

/**
 * Runs the server until a signal ends it.
 *
 * @param args The command line's arguments.
 * @returns The exit status: 0 after a drain, 2 if a setting is wrong, 1 if a later start may succeed.
 */
export async function run(args: string[]): Promise<number> {
  const errors = createLineWriter(Deno.stderr);
  let isHeard = true;
  const output = createLineWriter(Deno.stdout, ({ message }) => {
    isHeard = false;
    errors.add(`petstore: standard output cannot be written: ${oneLine(message)}`);
  });
  let status = 0;
  try {
    const command = readSettings(args, readVariable);
    if ("settings" in command) {
      await serve(command.settings, { output, errors });
    } else {
      output.add(TEXTS[command.print]().trimEnd());
      await output.flush();
      if (!isHeard) status = 1;
    }
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    errors.add(`petstore: ${oneLine(error.message)}`);
    // Supervisors do not restart after 2, since the next start would fail in the same way.
    status = error instanceof UnreachableError ? 1 : 2;
  }
  await within(FLUSH_TIMEOUT, Promise.all([output.flush(), errors.flush()]).then(() => {}));
  return status;
}

/** The SQL for an administrator. The part that depends on a role's name is a comment. */
function schemaText(): string {
  const grants = postgresGrants("petstore_server").replaceAll(/^(?=.)/gm, "-- ");
  return `${postgresSchema()}\n-- For a role that is not the owner, here petstore_server, and again after an upgrade:\n${grants}`;
}
