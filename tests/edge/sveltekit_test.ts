/** A petstore in an endpoint of SvelteKit, built for Node and started as an app is in production. */

import assert from "node:assert/strict";
import test from "node:test";
import { BASE_PATHS, type Cut, type Deviation, testContract } from "./support/contract.ts";
import { sendAlone } from "../support/http/send_alone.ts";
import { useMount } from "./support/mounts.ts";
import { type NodeApp, whyNoNode, withNodeApp } from "./support/node_app.ts";

const APP: NodeApp = {
  folder: "sveltekit",
  mount: "src/routes/v1/[...path]/+server.js",
  copies: {
    "/api/v1": "src/routes/api/v1/[...path]/+server.js",
    "": "src/routes/[...path]/+server.js",
  },
  build: ["../../node_modules/vite/bin/vite.js", "build"],
  serve: () => ["build"],
  // The adapter's own limit is half of the petstore's.
  env: { BODY_SIZE_LIMIT: "2M" },
  started: /Listening on/,
};

/** Whether SvelteKit takes a request for a form that another site may have sent. */
function isForeignForm({ method, headers }: Request): boolean {
  const type = headers.get("content-type") ?? "text/plain";
  return /^(POST|PUT|PATCH|DELETE)$/.test(method) && !headers.has("origin") &&
    /^(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type);
}

async function expectForbidden(answer: Response, { method }: Request): Promise<void> {
  assert.deepEqual([answer.status, await answer.text()], [403, `Cross-site ${method} form submissions are forbidden`]);
}

const DEVIATIONS: Deviation[] = [
  {
    reason: "answers 400 with a page of HTML to a path that does not decode",
    applies: ({ url }) => /%zz|%FF/.test(new URL(url).pathname),
    check: async (answer, request) => {
      if (isForeignForm(request)) return await expectForbidden(answer, request);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [400, "text/html"]);
      assert.match(await answer.text(), /Malformed URI/);
    },
  },
  {
    reason:
      "answers 403 where another site's form might have sent the request, and lets the same in with its own Origin",
    applies: isForeignForm,
    check: async (answer, request) => {
      await expectForbidden(answer, request);
      // The adapter takes https for granted.
      request.headers.set("origin", new URL(request.url).origin.replace("http:", "https:"));
      return await sendAlone(request);
    },
  },
  {
    reason: "leaves it to Node to answer 400 without a body to a method that is not registered",
    applies: ({ method }) => /^(get|constructor)$/.test(method),
    check: async (answer) => {
      assert.deepEqual([answer.status, await answer.text()], [400, ""]);
    },
  },
];

/** A body that is given up is one whose stream is cancelled, and SvelteKit's own stream then destroys the connection. */
const CUT: Cut = {
  reason: "closes the connection without an answer where a body of unknown length grows too long, or stalls",
  cases: /^answers 408 to a body|^takes a body of exactly the limit|^answers 413 to 3 MiB/,
  isCertain: true,
};

test("an endpoint of SvelteKit keeps the HTTP contract", { skip: whyNoNode }, async (context) => {
  await withNodeApp(APP, async (origin) => {
    for (const basePath of BASE_PATHS) {
      await context.test(`beside the app's own route, mounted at ${basePath || "the root"}`, async () => {
        await useMount(basePath, (path, init) => fetch(origin + path, init ?? {}), { isAlone: false });
      });
    }
    const origins = { "/v1": origin, "/api/v1": origin, "": origin };
    await testContract(context, { name: "SvelteKit", origins, deviations: DEVIATIONS, cut: CUT });
  });
});
