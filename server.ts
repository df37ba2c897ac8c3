/**
 * The standalone server: `deno task serve`. What it can be told is printed by `deno task serve --help`.
 *
 * @module
 */

import { run } from "./lib/server/run.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
