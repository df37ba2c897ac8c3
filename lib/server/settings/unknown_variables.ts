/** Finds environment variables that may be misspelt settings. */

import { SETTINGS } from "./flags.ts";
import { FILE_VARIABLES } from "./secret_files.ts";

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
