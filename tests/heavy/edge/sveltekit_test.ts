/** A petstore in an endpoint of SvelteKit, built for Node and started as in production. */

import assert from "node:assert/strict";
import { type Deviation, type HostResponse, NODE_PARSER, undecodablePath } from "../../support/http/deviation.ts";
import { receive } from "../../support/http/host_contract.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "sveltekit",
  mount: "src/routes/v1/[...path]/+server.ts",
  copies: { "/api/v1": "src/routes/api/v1/[...path]/+server.ts", "": "src/routes/[...path]/+server.ts" },
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

function expectForbidden(response: HostResponse, { method }: Request): void {
  assert.deepEqual([response?.status, response?.text], [403, `Cross-site ${method} form submissions are forbidden`]);
}

/** Sends the form again, as one of the app's own. */
async function sendAsOwn(response: HostResponse, request: Request): Promise<HostResponse> {
  expectForbidden(response, request);
  // The adapter assumes https.
  request.headers.set("origin", new URL(request.url).origin.replace("http:", "https:"));
  return await receive(request.clone());
}

const DEVIATIONS: Deviation[] = [
  undecodablePath("gets 400 and a page of HTML", (response, request) => {
    if (isForeignForm(request)) return expectForbidden(response, request);
    assert.deepEqual([response?.status, response?.headers.get("content-type")], [400, "text/html"]);
    assert.match(response!.text, /Malformed URI/);
  }),
  {
    says: "When the petstore stops reading a body, SvelteKit destroys the connection before the response",
    concerns: ({ request, caseName }) =>
      request.method === "POST" &&
      /^answers 408 to a body|^takes a body of exactly the limit|^answers 413 to 3 MiB/.test(caseName),
    check: (response, request) => isForeignForm(request) ? sendAsOwn(response, request) : response,
  },
  {
    says: "A request that another site's form could have sent gets 403 unless its `Origin` is the app's own",
    concerns: ({ request }) => isForeignForm(request),
    check: sendAsOwn,
  },
  NODE_PARSER,
];

testNodeApp("an endpoint of SvelteKit", APP, { name: "SvelteKit", deviations: DEVIATIONS });
