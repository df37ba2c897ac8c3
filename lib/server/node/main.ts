#!/usr/bin/env node
/** The standalone server and its commands, on Node. */

import { isBuiltin } from "node:module";
import process from "node:process";

if (!isBuiltin("node:sqlite")) {
  const { node } = process.versions;
  process.stderr.write(`petstore: Node ${node} has no SQLite; use 22.13 or later, and not --no-experimental-sqlite\n`);
  process.exit(2);
}

// Before Node 26, there is a warning that node:sqlite may change. It is not shown, because it
// concerns this program and not its user.
const warningListeners = process.listeners("warning");
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite")) return;
  for (const listener of warningListeners) listener(warning);
});

// These imports are not static, because they would then load `node:sqlite` before the lines above run.
const { run } = await import("../commands/run.ts");
const { NODE_RUNTIME } = await import("./runtime.ts");
const { ignoreSignal } = await import("../process/runtime.ts");
// Otherwise Node would open its inspector to every user of this machine. Log rotation sends that signal too.
ignoreSignal("SIGUSR1");
const status = await run(process.argv.slice(2), NODE_RUNTIME);
// A command that a signal has ended ends the process by the same signal, since exit() would wait
// for a thread that is in a long call of SQLite.
if (status > 128) process.kill(process.pid, status - 128);
process.exit(status);
