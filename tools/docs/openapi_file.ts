/** openapi.json: the description of a server with its defaults, and samples. `deno task docs` runs this file and writes it. */

import type { JsonObject } from "../../lib/operations/json_types.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { describeServer } from "../../lib/server/service/description.ts";
import { CALLS, samplesOf } from "./samples.ts";

export function createOpenApiFile(): string {
  const description = describeServer(checkOptions({ keys: ["none"], requestIds: "failures" }));
  return JSON.stringify(addSamples(description), null, 2) + "\n";
}

/** Adds samples to each operation of a description, and returns it. */
export function addSamples(description: JsonObject): JsonObject {
  for (const path of Object.values(description["paths"] as Record<string, Record<string, JsonObject>>)) {
    for (const operation of Object.values(path)) {
      const call = CALLS[String(operation["operationId"])];
      if (!call) throw new Error(`tools/docs/samples.ts has no call of ${operation["operationId"]}`);
      operation["x-codeSamples"] = samplesOf(call).map((sample) => ({ ...sample }));
    }
  }
  return description;
}

if (import.meta.main) {
  Deno.writeTextFileSync(new URL("../../openapi.json", import.meta.url), createOpenApiFile());
}
