/**
 * `@petstore/petstore`, for the programs here: the library, whose petstores change their options when the tests say so.
 * The HTTP contract wants many petstores, some with options that are functions, and a program makes one. So the program
 * stays the same and keeps its base path, while the tests choose by standard input which case's options are in force.
 */

import process from "node:process";
import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import { KEY } from "../../support/api.ts";
import { createCarriageOptions } from "./carriage_cases.ts";
import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../mod.ts";

export * from "../../../mod.ts";

/** Set by the tests alone: elsewhere the programs are what they look like. */
const IS_DRIVEN = process.env["PETSTORE_DRIVEN"] === "1";

/** Makes the petstore that the program wants, and begins anew with a case's options whenever its number is read. */
export function createPetstore(options: PetstoreOptions): Petstore {
  let current = create(options);
  if (!IS_DRIVEN) return current;
  // A copy, so that what a case says is all there is, but for where the program has mounted it.
  const { basePath } = options;
  process.stdin.setEncoding("utf8").on("data", (line: string) => {
    const chosen = line.trim() === "carriage" ? createCarriageOptions() : HTTP_CONTRACT[Number(line)]?.options;
    const own = { keys: [KEY], ...chosen };
    current = create(basePath === undefined ? own : { ...own, basePath });
    process.stdout.write(`case ${line.trim()} is ready\n`);
  });
  // Whoever drives it has gone, in whatever way.
  process.stdin.on("end", () => process.exit(0));
  return { handle: (request) => current.handle(request) };
}
