import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";

export default {
  input: { path: "./generated/openapi.json" },
  output: { path: "./generated/kubb", format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs(),
    pluginZod({ version: "4" }),
    pluginClient({ client: "fetch", bundle: true, dataReturnType: "full" }),
  ],
};
