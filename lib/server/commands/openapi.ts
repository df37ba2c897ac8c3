import { describeServer } from "../service/description.ts";
import { withSamples } from "../service/code_samples.ts";
import { checkOptions } from "../../petstore/checked_options.ts";
import { OPENAPI_SERVER, readOptions } from "../settings/server_settings.ts";
import type { Command } from "./command.ts";

export const OPENAPI: Command = {
  summary: "print the OpenAPI description of the API",
  settings: ["openapi-server", "stability", "enforce-sunset", "public-url", "request-id"],
  flags: { samples: { help: "add samples of requests in six languages, which documentation platforms show" } },
  about:
    "A server with the same settings serves the description at /openapi.json, and with samples at /openapi.json?samples.",
  examples: [
    "petstore openapi > openapi.json",
    "petstore openapi --openapi-server Production=https://api.example/v1 | npx openapi-typescript",
  ],
  run(args, { writers }) {
    // The description does not depend on the keys, and no request comes.
    const options = checkOptions({ ...readOptions(args), keys: () => false });
    const description = describeServer(options, args.readList("openapi-server", OPENAPI_SERVER));
    writers.output.add(JSON.stringify(args.isOn("samples") ? withSamples(description) : description, null, 2));
    return 0;
  },
};
