/** Secrets in files, as Docker and systemd give them: the variable `X_FILE` has the path of a file with the value of `X`. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isServiceLink } from "./arguments.ts";
import type { Environment } from "./flags.ts";
import { readSmallFile } from "../process/small_file.ts";
import { SettingError } from "../process/start_error.ts";

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`);

/**
 * The variables of an environment, with those secrets that are in files. A file is read when its variable is needed.
 */
export function withSecretFiles(environment: Environment): Environment {
  return (name) => {
    const variable = `${name}_FILE`;
    const path = SECRETS.includes(name) ? environment(variable) : undefined;
    if (!path) return environment(name);
    if (environment(name)) throw new SettingError(`${name} and ${variable} are both set; set one of them`);
    return readSecret(path, variable);
  };
}

/** @throws {SettingError} If the file cannot be read, or is empty. The message has none of its content. */
export function readSecret(path: string, variable: string): string {
  // The secret itself may stand in place of the path.
  const file = isAbsolute(path) || existsSync(path) ? `${path} (${variable})` : `The file of ${variable}`;
  const secret = readSmallFile(path, file);
  if (secret.trim() === "") throw new SettingError(`${file} is empty; write the secret into it`);
  // A platform sets such an address in a variable. In a file it is a mistake, and must not count as unset.
  if (isServiceLink(secret.trim())) throw new SettingError(`${file} has the address of a service, and no secret`);
  return secret;
}
