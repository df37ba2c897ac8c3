/** The process that the server runs in: its environment, its permissions, its signals. */

/** A variable of the environment. One that the server may not read counts as unset. */
export function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

/**
 * Gives up the permissions to write and to see the environment, and to read unless that is still needed. Deno cannot give
 * up reading for some paths only.
 */
export async function dropPermissions(needsRead: boolean): Promise<void> {
  for (const name of ["write", "env", ...(needsRead ? [] : ["read"] as const)] as const) {
    await Deno.permissions.revoke({ name });
  }
}

/** Within this many milliseconds, a second signal is the same Ctrl-C: a task runner passes on what it receives. */
const SAME_SIGNAL = 1000;

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once. */
export function signalled(): Promise<void> {
  const isWindows = Deno.build.os === "windows";
  const signals: Deno.Signal[] = isWindows ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
  // Sent when a file outgrows `ulimit -f`. The write fails too, which is enough; without a listener the process would end.
  if (!isWindows) Deno.addSignalListener("SIGXFSZ", () => {});
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of signals) {
      Deno.addSignalListener(signal, () => {
        firstAt ??= performance.now();
        if (performance.now() - firstAt > SAME_SIGNAL) Deno.exit(1);
        resolve();
      });
    }
  });
}
