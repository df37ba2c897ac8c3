#!/usr/bin/env node
/**
 * The program `conformance` tests a petstore in any language by its address. It runs on Node, Deno and Bun; `--help` shows its flags.
 *
 * @module
 */

import process from "node:process";
import { run } from "./lib/program.ts";

const ending = new Promise<string>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve("a signal has ended it"));
  // Without a listener, a reader that closes the output would end the program before it has told which pets it leaves.
  process.stdout.on("error", () => resolve("standard output is closed"));
});

process.exit(
  await run(process.argv.slice(2), {
    environment: (name) => process.env[name],
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    tell: (line) => void process.stderr.write(`${line}\n`),
    ending,
  }),
);
