import { checkOptions } from "../../petstore/checked_options.ts";
import { describeServer } from "../http/description.ts";
import { PUBLIC_URL, RATE_LIMIT, readOptions, REQUEST_IDS } from "../settings/server_settings.ts";
import type { Command } from "./command.ts";

export const OPENAPI: Command = {
  summary: "print the OpenAPI description of the API",
  settings: ["public-url", "request-id", "rate-limit"],
  about: "A server with the same settings has it at /openapi.json.",
  examples: [
    "petstore openapi > openapi.json",
    "petstore openapi --public-url https://api.example/v1 | npx openapi-typescript",
  ],
  run(args, { writers }) {
    const publicUrl = args.optional("public-url", PUBLIC_URL);
    const requestIds = args.read("request-id", REQUEST_IDS);
    const rateLimit = args.optional("rate-limit", RATE_LIMIT);
    const options = readOptions({ requestIds, rateLimit, ...(publicUrl && { publicUrl }) });
    // The description does not depend on the keys.
    const settings = checkOptions({ ...options, keys: ["none"] });
    writers.output.add(JSON.stringify(describeServer(settings), null, 2));
    return 0;
  },
};
