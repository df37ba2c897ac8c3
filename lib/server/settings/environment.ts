/** The environment variables of the settings, as people and platforms set them. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readSmallFile } from "../process/small_file.ts";
import { SettingError } from "../process/start_error.ts";
import { SETTINGS } from "./flags.ts";
import { normalize } from "./setting_text.ts";

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

/** The variables that have the paths of files with secrets: `X_FILE` that of a file with the value of `X`. */
export const FILE_VARIABLES: readonly string[] = SECRETS.map((name) => `${name}_FILE`);

/**
 * An environment that also has the secrets in files, as Docker and systemd give them, and not the addresses of services. A file is read each
 * time its variable is looked up.
 *
 * @returns A look-up that throws a {@link SettingError} if the file cannot be used, or both variables are set.
 */
export function prepareEnvironment(environment: Environment): Environment {
  return (name) => {
    const text = environment(name);
    if (isServiceLink(name, text)) return undefined;
    const fileVariable = `${name}_FILE`;
    const path = SECRETS.includes(name) ? normalize(environment(fileVariable) ?? "", fileVariable) : "";
    if (path === "") return text;
    if (text) throw new SettingError(`${name} and ${fileVariable} are both set; set one of them`);
    return readSecret(path, fileVariable);
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

/**
 * The variables that Kubernetes and Docker set in each container for a service whose name begins with `petstore`, such as
 * `PETSTORE_SERVICE_HOST`, `PETSTORE_SERVICE_PORT_HTTP` and `PETSTORE_PORT_8000_TCP_ADDR`. The links of Docker also set `PETSTORE_NAME`, and
 * `PETSTORE_ENV_X` for each variable X of the other container.
 */
const SERVICE_VARIABLE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP|SCTP)|$)|^PETSTORE_(?:NAME$|ENV_)/;

/**
 * A line for each variable that begins with `PETSTORE_` and is no setting, for it may be a misspelt one.
 *
 * @param names The names of all environment variables.
 */
export function describeUnknownVariables(names: readonly string[]): string[] {
  const known = [...Object.values(SETTINGS).map(({ variable = "" }) => variable), ...FILE_VARIABLES];
  return names
    .filter((name) => name.startsWith("PETSTORE_") && !known.includes(name) && !SERVICE_VARIABLE.test(name))
    .map((name) => `the variable ${name} is ignored: there is no such setting`);
}
