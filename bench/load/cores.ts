/** Which core does what, and whether this machine can be measured on. */

/** The core of every server. */
export const SERVER_CORE = 0;

/** The core of the load, so that neither takes time from the other. */
export const LOAD_CORE = 1;

const WANTED = [
  { command: "taskset", flag: "--version", where: "util-linux" },
  { command: "wrk", flag: "--version", where: "the package wrk" },
];

/** What keeps this machine from running the benchmark, in one line, or `undefined`. */
export function findObstacle(): string | undefined {
  if (navigator.hardwareConcurrency < 2) return "two cores are needed: one for the server, one for the load";
  for (const { command, flag, where } of WANTED) {
    try {
      new Deno.Command(command, { args: [flag], stdout: "null", stderr: "null" }).outputSync();
    } catch {
      return `${command} is needed (on Debian: ${where})`;
    }
  }
  return undefined;
}
