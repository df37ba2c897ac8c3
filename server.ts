/**
 * The standalone server: `deno task serve`. `deno task serve --help` lists its settings.
 *
 * @module
 */

import { run } from "./lib/server/run.ts";

if (import.meta.main) Deno.exit(await run(Deno.args));
