/** A petstore in an endpoint of Astro, built for Node and started as in production. */

import { type Deviation, exactly, NODE_PARSER } from "../../support/http/deviation.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "astro",
  mount: "src/pages/v1/[...path].js",
  copies: { "/api/v1": "src/pages/api/v1/[...path].js", "": "src/pages/[...path].js" },
  build: ["../../node_modules/astro/bin/astro.mjs", "build"],
  serve: () => ["dist/server/entry.mjs"],
  env: { ASTRO_TELEMETRY_DISABLED: "1" },
  started: /Server listening on/,
};

const UNDECODABLE: Deviation = {
  says: "A path or query that does not decode (`%zz`) gets 400 and plain text from Astro",
  concerns({ request }) {
    try {
      decodeURI(request.url);
      return false;
    } catch {
      return true;
    }
  },
  check: exactly(400, "Bad request."),
};

testNodeApp("an endpoint of Astro", APP, { name: "Astro", deviations: [UNDECODABLE, NODE_PARSER] });
