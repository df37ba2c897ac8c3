/**
 * openapi.json: the description of a server with its defaults, and samples. `deno task docs` runs
 * this file and writes it.
 */

import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { describeServer, withSamples } from "../../lib/server/serving/description.ts";

export function createOpenApiFile(): string {
  return JSON.stringify(withSamples(describeServer(checkOptions({ keys: () => false }))), null, 2) + "\n";
}

if (import.meta.main) {
  Deno.writeTextFileSync(new URL("../../openapi.json", import.meta.url), createOpenApiFile());
}
