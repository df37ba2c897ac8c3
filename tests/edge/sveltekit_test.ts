/** A petstore in an endpoint of SvelteKit, built for Node and started as in production. */

import assert from "node:assert/strict";
import { type Cut, type Deviation, NODE_PARSER, undecodable } from "./support/contract.ts";
import { sendAlone } from "../support/http/send_alone.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "sveltekit",
  mount: "src/routes/v1/[...path]/+server.js",
  copies: { "/api/v1": "src/routes/api/v1/[...path]/+server.js", "": "src/routes/[...path]/+server.js" },
  build: ["../../node_modules/vite/bin/vite.js", "build"],
  serve: () => ["build"],
  // The adapter's default is half of the petstore's limit.
  env: { BODY_SIZE_LIMIT: "2M" },
  started: /Listening on/,
};

/** Whether SvelteKit treats a request as the form of another site. */
function isForeignForm({ method, headers }: Request): boolean {
  const type = headers.get("content-type") ?? "text/plain";
  return /^(POST|PUT|PATCH|DELETE)$/.test(method) && !headers.has("origin") &&
    /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type);
}

async function expectForbidden(response: Response, { method }: Request): Promise<void> {
  assert.deepEqual([response.status, await response.text()], [
    403,
    `Cross-site ${method} form submissions are forbidden`,
  ]);
}

const DEVIATIONS: Deviation[] = [
  undecodable("answers 400 with a page of HTML to a path that does not decode", async (response, request) => {
    if (isForeignForm(request)) return await expectForbidden(response, request);
    assert.deepEqual([response.status, response.headers.get("content-type")], [400, "text/html"]);
    assert.match(await response.text(), /Malformed URI/);
  }),
  {
    reason:
      "answers 403 to a request that another site's form could have sent, and accepts it with the app's own Origin",
    applies: isForeignForm,
    check: async (response, request) => {
      await expectForbidden(response, request);
      // The adapter assumes https.
      request.headers.set("origin", new URL(request.url).origin.replace("http:", "https:"));
      return await sendAlone(request);
    },
  },
  NODE_PARSER,
];

/** The petstore cancels the stream of a body that it refuses; SvelteKit's stream then destroys the connection. */
const CUT: Cut = {
  reason: "closes the connection without a response where a body of unknown length grows too long, or stalls",
  cases: /^answers 408 to a body|^takes a body of exactly the limit|^answers 413 to 3 MiB/,
  isCertain: true,
};

testNodeApp("an endpoint of SvelteKit", APP, { name: "SvelteKit", deviations: DEVIATIONS, cut: CUT });
