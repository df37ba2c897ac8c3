/** The environment variables of the settings, as people and platforms set them. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readSecretFile } from "../process/secret_file.ts";
import type { Environment } from "../process/runtime.ts";
import { SettingError } from "../process/start_error.ts";
import { normalize } from "./formats.ts";

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

/** The variables that have the paths of files with secrets: `X_FILE` that of a file with the value of `X`. */
export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`);

/**
 * The address that Kubernetes and Docker put into `PETSTORE_PORT` in each container if a service is
 * named `petstore`.
 */
const SERVICE_ADDRESS = /^\s*(?:tcp|udp|sctp):\/\//i;

/**
 * The environment of the settings: without the address of a service, and with the secrets that are
 * in files. Docker and systemd give a secret in a file, and a variable has its path. A file is read
 * each time its secret is looked up.
 *
 * @returns A look-up that throws a {@link SettingError} if the file cannot be used, or both
 * variables are set.
 */
export function prepareEnvironment(environment: Environment): Environment {
  return (name) => {
    const text = environment(name);
    if (name === "PETSTORE_PORT" && SERVICE_ADDRESS.test(text ?? "")) return undefined;
    if (!SECRETS.includes(name)) return text;
    const fileVariable = `${name}_FILE`;
    const path = normalize(environment(fileVariable) ?? "", fileVariable);
    if (path === "") return text;
    if (text) throw new SettingError(`${name} and ${fileVariable} are both set; set one of them`);
    return readSecret(path, fileVariable);
  };
}

/**
 * @param fileVariable The variable that has the path, for messages.
 * @throws {SettingError} If the file cannot be read or is empty. The message has none of its
 * content.
 */
function readSecret(path: string, fileVariable: string): string {
  // A message shows the path only if it surely is one: the secret itself may stand in its place by mistake.
  const file = isAbsolute(path) || existsSync(path) ? `${path} (${fileVariable})` : `The file of ${fileVariable}`;
  const secret = readSecretFile(path, file);
  if (secret === "") throw new SettingError(`${file} is empty; write the secret into it`);
  return secret;
}
