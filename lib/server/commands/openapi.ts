import { checkOptions } from "../../petstore/settings.ts";
import { describeServer } from "../description.ts";
import { readOptions } from "../local_server.ts";
import { readRateLimit, readRequestIds } from "../server_settings.ts";
import { readText } from "../settings.ts";
import type { Command } from "./command.ts";

export const OPENAPI: Command = {
  summary: "print the OpenAPI description of the API",
  settings: ["public-url", "request-id", "rate-limit"],
  about: ["Prints the OpenAPI description, as a server with the same settings has it at /openapi.json."],
  examples: [
    "petstore openapi > openapi.json",
    "petstore openapi --public-url https://api.example/v1 | npx openapi-typescript",
  ],
  run({ flags }, { writers, environment }) {
    const publicUrl = readText("public-url", flags, environment);
    const requestIds = readRequestIds(flags, environment);
    const rateLimit = readRateLimit(readText("rate-limit", flags, environment));
    const options = readOptions({ keys: [], corsOrigins: [], publicUrl, requestIds, rateLimit, clientHeader: "" });
    // The description does not depend on the keys.
    const settings = checkOptions({ ...options, keys: ["none"] });
    writers.output.add(JSON.stringify(describeServer(settings), null, 2));
    return 0;
  },
};
