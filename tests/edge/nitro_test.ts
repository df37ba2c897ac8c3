/** A petstore in a route of Nitro, built for Node and started as in production. */

import test from "node:test";
import { BASE_PATHS, NODE_PARSER, testContract } from "./support/contract.ts";
import { useMount } from "./support/mounts.ts";
import { type NodeApp, whyNoNode, withNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "nitro",
  mount: "routes/v1/[...path].js",
  copies: { "/api/v1": "routes/api/v1/[...path].js", "": "routes/[...path].js" },
  build: ["../../node_modules/nitropack/dist/cli/index.mjs", "build"],
  serve: () => [".output/server/index.mjs"],
  started: /Listening on/,
};

test("a route of Nitro keeps the HTTP contract", { skip: whyNoNode }, async (context) => {
  await withNodeApp(APP, async (origin) => {
    for (const basePath of BASE_PATHS) {
      await context.test(`beside the app's own route, mounted at ${basePath || "the root"}`, async () => {
        await useMount(basePath, (path, init) => fetch(origin + path, init ?? {}), { isAlone: false });
      });
    }
    const origins = { "/v1": origin, "/api/v1": origin, "": origin };
    await testContract(context, { name: "Nitro", origins, deviations: [NODE_PARSER] });
  });
});
