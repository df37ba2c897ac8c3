#!/usr/bin/env node
/**
 * The program `conformance` tests a petstore in any language by its address. It runs on Node, Deno
 * and Bun; `--help` shows its flags.
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
    environment: readVariable,
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    tell: (line) => void process.stderr.write(`${line}\n`),
    ending,
  }),
);

/**
 * Reads an environment variable. Deno's own error for one that is not UTF-8 would show its value,
 * which may be the key.
 */
function readVariable(name: string): string | undefined {
  try {
    return process.env[name];
  } catch {
    throw new Error(`${name} cannot be read: it must be UTF-8, and Deno needs the permission --allow-env=${name}`);
  }
}
