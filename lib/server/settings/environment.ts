/** The environment variables of the settings, as people and platforms set them. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readSmallFile } from "../process/small_file.ts";
import { SettingError } from "../process/start_error.ts";
import { normalize } from "./setting_text.ts";

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

/** The variables that have the paths of files with secrets: `X_FILE` that of a file with the value of `X`. */
export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`);

/** The environment of the settings: with the secrets that are in files, and without the addresses of services. */
export function prepareEnvironment(environment: Environment): Environment {
  return withSecretFiles(withoutServiceLinks(environment));
}

function withoutServiceLinks(environment: Environment): Environment {
  return (name) => {
    const text = environment(name);
    return isServiceLink(name, text) ? undefined : text;
  };
}

/**
 * Whether Kubernetes or Docker has set a variable to the address of a service: a service named `petstore` sets
 * `PETSTORE_PORT=tcp://10.43.12.7:8000` in each container. They do so only for names that end in `_PORT`.
 */
function isServiceLink(name: string, text = ""): boolean {
  return name.endsWith("_PORT") && /^\s*(?:tcp|udp|sctp):\/\//i.test(text);
}

/**
 * Docker and systemd give a secret in a file, and a variable has its path. A file is read each time its secret is looked up.
 *
 * @returns A look-up that throws a {@link SettingError} if the file cannot be used, or both variables are set.
 */
function withSecretFiles(environment: Environment): Environment {
  return (name) => {
    const text = environment(name);
    const fileVariable = `${name}_FILE`;
    const path = SECRETS.includes(name) ? normalize(environment(fileVariable) ?? "", fileVariable) : "";
    if (path === "") return text;
    if (text) throw new SettingError(`${name} and ${fileVariable} are both set; set one of them`);
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
