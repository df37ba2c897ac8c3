/** The use of the cores, and the requirements of a machine. */

/** The core of every server. */
export const SERVER_CORE = 0;

/** The core of the load, apart from the servers. */
export const LOAD_CORE = 1;

/** Programs and their Debian packages. */
const WANTED = { taskset: "util-linux", wrk: "wrk" };

/** The reason why the benchmark cannot run on this machine, or `undefined`. */
export function findObstacle(): string | undefined {
  if (navigator.hardwareConcurrency < 2) return "the benchmark needs two cores, for the server and for the load";
  for (const [command, name] of Object.entries(WANTED)) {
    try {
      new Deno.Command(command, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
    } catch {
      return `the benchmark needs ${command}, on Debian from the package ${name}`;
    }
  }
  return undefined;
}
