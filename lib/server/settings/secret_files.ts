/** Secrets in files, as Docker and systemd give them: the variable `X_FILE` has the path of a file with the value of `X`. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Environment } from "./flags.ts";
import { explain, SettingError } from "../process/start_error.ts";

/** The variables whose values may be secret. */
const SECRETS: readonly string[] = ["PETSTORE_KEYS", "PETSTORE_STORE", "PGPASSWORD"];

export const FILE_VARIABLES: readonly string[] = SECRETS.map(fileVariableOf);

/** The largest file that is read: some thousand keys. */
const MAX_BYTES = 1_048_576;

export function fileVariableOf(secret: string): string {
  return `${secret}_FILE`;
}

/** The same variables, with secrets from files. Each file is read once, when its secret is needed. */
export function withSecretFiles(environment: Environment): Environment {
  const found = new Map<string, string>();
  return (name) => {
    const variable = fileVariableOf(name);
    const path = SECRETS.includes(name) ? environment(variable) : undefined;
    if (!path) return environment(name);
    if (environment(name)) throw new SettingError(`${name} and ${variable} are both set; set one of them`);
    const secret = found.get(name) ?? readSecret(path, variable);
    found.set(name, secret);
    return secret;
  };
}

/**
 * Reads a file without the line ends at its end. The messages have none of its content.
 *
 * @param source The setting that names the file.
 * @throws {SettingError} If it cannot be read, or is empty.
 */
export function readSecret(path: string, source: string): string {
  // The secret itself may stand in place of the path.
  const file = isAbsolute(path) || existsSync(path) ? `${path} (${source})` : `The file of ${source}`;
  try {
    const stats = statSync(path);
    // A named pipe would wait for a writer.
    if (!stats.isFile()) throw new SettingError(`${file} must be a regular file`);
    if (stats.size > MAX_BYTES) throw new SettingError(`${file} is larger than ${MAX_BYTES} bytes`);
    // Not as Node decodes it: a byte order mark would become a part of a password, and UTF-16 a wrong secret.
    const secret = withoutLineEnds(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
    if (secret === "") throw new SettingError(`${file} is empty; write the secret into it`);
    return secret;
  } catch (error) {
    throw explain(`${file} cannot be read`, error);
  }
}

/** Not by a regular expression: one that ends with `$` would try each line end in the middle of the text. */
function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n" || text[end - 1] === "\r") end--;
  return text.slice(0, end);
}
