/** The environment, the permissions and the signals of the server's process, on Deno and Node. */

import process from "node:process";
import { SettingError } from "./start_error.ts";

/** A permission of Deno. */
type Permission =
  | { name: "read" | "write"; path: string | URL }
  | { name: "env"; variable?: string }
  | { name: "net"; host: string }
  | { name: "sys"; kind: "uid" };

interface DenoProcess {
  permissions: { querySync(permission: Permission): { state: string } };
}

/** `undefined` on Node, where a program may do what its user may. */
const permissions = (globalThis as { Deno?: DenoProcess })["Deno"]?.permissions;

/** Whether a permission is granted. Use of one that is missing would make Deno prompt at the terminal. */
export function isPermitted(permission: Permission): boolean {
  return permissions === undefined || permissions.querySync(permission).state === "granted";
}

/**
 * Reads an environment variable. Without permission to read it, it counts as unset.
 *
 * @throws {SettingError} If it is not UTF-8. Deno's own error would show its value, which may be secret.
 */
export function readVariable(variable: string): string | undefined {
  if (!isPermitted({ name: "env", variable })) return undefined;
  try {
    return process.env[variable];
  } catch {
    throw new SettingError(`${variable} is not text in UTF-8`);
  }
}

/** The names of all environment variables. Without permission to list them, there are none. */
export function listVariables(): string[] {
  return isPermitted({ name: "env" }) ? Object.keys(process.env) : [];
}

/**
 * Keeps SIGUSR1 from Node, which would open its inspector to every user of this machine. Log rotation sends that signal too.
 */
export function ignoreInspector(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => {});
}

/** Makes a write beyond `ulimit -f` an error that is reported. Without a listener, the signal that comes with it would end the process. */
export function surviveFileLimit(): void {
  if (process.platform !== "win32") process.on("SIGXFSZ", () => {});
}

/** A second signal within this time, in milliseconds, is the same Ctrl-C, which a task runner has forwarded. */
const SAME_SIGNAL = 1000;

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once. */
export function waitForSignal(): Promise<void> {
  const isWindows = process.platform === "win32";
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of isWindows ? ["SIGINT"] : ["SIGTERM", "SIGINT"]) {
      process.on(signal, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > SAME_SIGNAL) process.exit(1);
        resolve();
      });
    }
  });
}
