/** A petstore in an endpoint of SvelteKit, built for Node and started as in production. */

import { UNDECODABLE_PATH } from "../../support/conformance.ts";
import { LATE_REFUSAL } from "./support/mounts.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "sveltekit",
  mount: "src/routes/v1/[...path]/+server.ts",
  build: ["../../node_modules/vite/bin/vite.js", "build"],
  serve: () => ["build"],
  // The adapter's default is half of the petstore's limit.
  env: { BODY_SIZE_LIMIT: "2M" },
  started: /Listening on/,
};

/** SvelteKit answers 403 to what another site's form could send. The adapter assumes https. */
function sendAsOwn(request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set("origin", new URL(request.url).origin.replace("http:", "https:"));
  return fetch(new Request(request, { headers }));
}

testNodeApp("an endpoint of SvelteKit", APP, { always: UNDECODABLE_PATH, sometimes: [LATE_REFUSAL], fetch: sendAsOwn });
