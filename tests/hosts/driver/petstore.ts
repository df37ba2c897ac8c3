/**
 * `@petstore/petstore` for the programs here. The HTTP contract needs many petstores, some with functions as options, and
 * a program makes one. So the tests choose by standard input which case's options the program's petstore has.
 */

import process from "node:process";
import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import { KEY } from "../../support/api.ts";
import { createHandle, pipelineOf } from "../../../lib/hosts/fetch.ts";
import { createCarriageOptions } from "./carriage_cases.ts";
import { createPetstore as create, type Petstore, type PetstoreOptions } from "../../../mod.ts";

export * from "../../../mod.ts";

/** Set by the tests only. */
const IS_DRIVEN = process.env["PETSTORE_DRIVEN"] === "1";

/** Makes the program's petstore, and replaces it by one with a case's options when the case's number is read. */
export function createPetstore(options: PetstoreOptions): Petstore {
  let current = create(options);
  if (!IS_DRIVEN) return current;
  const { basePath } = options;
  process.stdin.setEncoding("utf8").on("data", (line: string) => {
    const chosen = line.trim() === "carriage" ? createCarriageOptions() : HTTP_CONTRACT[Number(line)]?.options;
    const own = { keys: [KEY], ...chosen };
    current = create(basePath === undefined ? own : { ...own, basePath });
    process.stdout.write(`case ${line.trim()} is ready\n`);
  });
  // The tests have ended.
  process.stdin.on("end", () => process.exit(0));
  // createNodeListener() finds the pipeline of this handle, as it does with the library's own.
  return {
    handle: createHandle({
      respond: (exchange) => pipelineOf(current.handle)!.respond(exchange),
      fail: (thrown, exchange) => pipelineOf(current.handle)!.fail(thrown, exchange),
    }),
  };
}
