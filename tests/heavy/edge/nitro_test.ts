/** A petstore in a route of Nitro, built for Node and started as in production. */

import { NODE_PARSER } from "../../support/http/deviation.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "nitro",
  mount: "routes/v1/[...path].js",
  copies: { "/api/v1": "routes/api/v1/[...path].js", "": "routes/[...path].js" },
  build: ["../../node_modules/nitropack/dist/cli/index.mjs", "build"],
  serve: () => [".output/server/index.mjs"],
  started: /Listening on/,
};

testNodeApp("a route of Nitro", APP, { name: "Nitro", deviations: [NODE_PARSER] });
