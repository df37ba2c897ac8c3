import { describeServer, withSamples } from "../serving/description.ts";
import { checkOptions } from "../../petstore/checked_options.ts";
import { SWITCH } from "../settings/formats.ts";
import { libraryOptions, SETTINGS } from "../settings/server_settings.ts";
import { declareCommand } from "./command.ts";

export const OPENAPI = declareCommand({
  summary: "print the OpenAPI description of the API",
  options: {
    "openapi-server": SETTINGS["openapi-server"],
    stability: SETTINGS.stability,
    "enforce-sunset": SETTINGS["enforce-sunset"],
    "public-url": SETTINGS["public-url"],
    "request-id": SETTINGS["request-id"],
    samples: { format: SWITCH, help: "add samples of requests in six languages, which documentation platforms show" },
  },
  about:
    "A server with the same settings serves the description at /openapi.json, and with samples at /openapi.json?samples.",
  examples: [
    "petstore openapi > openapi.json",
    "petstore openapi --openapi-server Production=https://api.example/v1 | npx openapi-typescript",
  ],
  run(values, { output }) {
    // The description depends neither on the origins nor on the keys, and no request comes.
    const options = checkOptions({ ...libraryOptions({ ...values, "cors-origin": [] }), keys: () => false });
    const description = describeServer(options, values["openapi-server"]);
    output.add(JSON.stringify(values.samples ? withSamples(description) : description, null, 2));
  },
});
