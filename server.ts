/**
 * The standalone server: `deno task serve`. Its settings are listed by `deno task serve --help`.
 *
 * @module
 */

import { run } from "./lib/server/run.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
