/**
 * The standalone server and its commands, on Deno: `deno task petstore --help` lists them.
 *
 * @module
 */

import { DENO_RUNTIME } from "./lib/server/deno/runtime.ts";
import { run } from "./lib/server/commands/run.ts";

if (import.meta.main) Deno.exit(await run(Deno.args, DENO_RUNTIME));
