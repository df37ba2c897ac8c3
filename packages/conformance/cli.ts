#!/usr/bin/env node
/**
 * The program `conformance` tests a petstore in any language by its address. It runs on Node, Deno and Bun; `--help` shows its flags.
 *
 * @module
 */

import process from "node:process";
import { run } from "./lib/program.ts";

function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => error ? reject(error) : resolve());
  });
}

function ending(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

// Without a listener, a reader that closes the output would end the program before it has told which pets it leaves.
process.stdout.on("error", () => {});
process.exit(
  await run(process.argv.slice(2), {
    environment: (name) => process.env[name],
    write,
    tell: (line) => void process.stderr.write(`${line}\n`),
    ending,
  }),
);
