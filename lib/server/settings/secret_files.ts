/** Secrets in files, as Docker and systemd give them: the variable `X_FILE` has the path of a file with the value of `X`. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { normalize } from "./setting_text.ts";
import type { Environment } from "./flags.ts";
import { readSmallFile } from "../process/small_file.ts";
import { SettingError } from "../process/start_error.ts";

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`);

/**
 * An environment that also has the secrets in files. A file is read each time its variable is looked up.
 *
 * @returns A look-up that throws a {@link SettingError} if the file cannot be used, or both variables are set.
 */
export function withSecretFiles(environment: Environment): Environment {
  return (name) => {
    const fileVariable = `${name}_FILE`;
    const path = SECRETS.includes(name) ? normalize(environment(fileVariable) ?? "", fileVariable) : "";
    if (path === "") return environment(name);
    if (environment(name)) throw new SettingError(`${name} and ${fileVariable} are both set; set one of them`);
    return readSecret(path, fileVariable);
  };
}

/**
 * @param fileVariable The variable that has the path, for messages.
 * @throws {SettingError} If the file cannot be read or is empty. The message has none of its content.
 */
function readSecret(path: string, fileVariable: string): string {
  // A message shows the path only if it surely is one: the secret itself may stand in its place by mistake.
  const file = isAbsolute(path) || existsSync(path) ? `${path} (${fileVariable})` : `The file of ${fileVariable}`;
  const secret = readSmallFile(path, file);
  if (secret.trim() === "") throw new SettingError(`${file} is empty; write the secret into it`);
  return secret;
}
