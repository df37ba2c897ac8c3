/** The environment, the permissions and the signals of the server's process. */

/** Reads an environment variable. Without permission to read it, it counts as unset. */
export function readVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

/** Whether standard output is a terminal whose user wants colours (NO_COLOR). */
export function isColoured(): boolean {
  return !Deno.noColor && Deno.stdout.isTerminal();
}

/** Gives up permissions for good. Deno cannot restrict reading to some paths at this point. */
export async function dropPermissions(names: readonly ("env" | "read" | "write")[]): Promise<void> {
  for (const name of names) await Deno.permissions.revoke({ name });
}

/** A second signal within this time, in milliseconds, is the same Ctrl-C, which a task runner has forwarded. */
const SAME_SIGNAL = 1000;

/** Resolves at the first SIGTERM or SIGINT. A later one ends the process at once. */
export function signalled(): Promise<void> {
  const isWindows = Deno.build.os === "windows";
  const signals: Deno.Signal[] = isWindows ? ["SIGINT"] : ["SIGTERM", "SIGINT"];
  // Sent when a file exceeds `ulimit -f`. Without a listener, the process would end. The failed write is reported anyway.
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
