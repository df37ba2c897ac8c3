#!/usr/bin/env node
/** The standalone server and its commands, on Node. */

import { isBuiltin } from "node:module";
import process from "node:process";

if (!isBuiltin("node:sqlite")) {
  process.stderr.write(`petstore: Node ${process.versions.node} has no SQLite; use Node 22.13 or later\n`);
  process.exit(2);
}

const listeners = process.listeners("warning");
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  // Before Node 26, loading node:sqlite warns that it may change. That is the concern of this program, not of its user.
  if (warning.name === "ExperimentalWarning" && warning.message.startsWith("SQLite")) return;
  for (const listener of listeners) listener(warning);
});

// This import is not static, because that would load `node:sqlite` before the lines above.
const { run } = await import("../commands/run.ts");
const { NODE_RUNTIME } = await import("./runtime.ts");
const { ignoreInspector } = await import("../process/process.ts");
ignoreInspector();
const status = await run(process.argv.slice(2), NODE_RUNTIME);
// exit() would wait for a thread that is in a long call of SQLite, and the signal does not.
if (status > 128) process.kill(process.pid, status - 128);
process.exit(status);
