#!/usr/bin/env node
/**
 * The program `conformance` tests a petstore in any language by its address. It runs on Node, Deno
 * and Bun; `--help` shows its flags.
 *
 * @module
 */

import process from "node:process";
import { run } from "./lib/program.ts";

// A reader that closes the output, such as `head`, ends the program without a trace of the stack.
process.stdout.on("error", () => process.exit(1));

const status = await run(process.argv.slice(2), {
  env: process.env,
  write: (text) => void process.stdout.write(text),
  tell: (text) => void process.stderr.write(text),
});
// It is set before, because Deno calls no write back on a full disk, and would end with 0.
process.exitCode = status;
// The last write is called back when all are done. A connection of a server that hangs would keep Node running for minutes.
process.stdout.write("", () => process.exit(status));
