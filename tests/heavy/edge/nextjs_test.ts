/** A petstore in a route handler of Next.js, built and started as in production. */

import assert from "node:assert/strict";
import { type Deviation, exactly, lateRefusal, undecodablePath, unknownMethod } from "../../support/http/deviation.ts";
import { sendAlone } from "../../support/http/send_alone.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const NEXT = "../../node_modules/next/dist/bin/next";

const APP: NodeApp = {
  folder: "nextjs",
  mount: "app/v1/[[...path]]/route.ts",
  // With a file of TypeScript, Next.js would want its compiler. `deno task ok` checks the types.
  runsJavaScript: true,
  copies: { "/api/v1": "app/api/v1/[[...path]]/route.js", "": "app/[[...path]]/route.js" },
  build: [NEXT, "build"],
  serve: (port) => [NEXT, "start", "--hostname", "127.0.0.1", "--port", String(port)],
  started: /Ready in/,
};

/** Responses of Next.js's own pages depend on these headers. */
const VARY = "rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch";

function strip({ status, headers, body }: Response): Response {
  const own = new Headers(headers);
  const [vary = "", rest] = (own.get("vary") ?? "").split(/(?<=segment-prefetch)(?:, )?/);
  assert.equal(vary, VARY);
  if (rest) own.set("vary", rest);
  else own.delete("vary");
  return new Response(body, { status, headers: own });
}

const DEVIATIONS: Deviation[] = [
  {
    says: "A path with an empty segment (`/v1//pets`) is redirected by 308, without a key check",
    concerns: ({ request }) => new URL(request.url).pathname.includes("//"),
    check: (response, { url }) => {
      const target = new URL(url).pathname.replaceAll(/\/+/g, "/");
      assert.deepEqual([response?.status, response?.headers.get("location")], [308, target]);
    },
  },
  undecodablePath("gets 500 and plain text from Next.js", exactly(500, "Internal Server Error")),
  {
    ...unknownMethod("or that a route handler cannot export (`QUERY`) gets 400 without a body", exactly(400, "")),
    concerns: ({ request }) => /^(QUERY|get|constructor)$/.test(request.method),
  },
  {
    says: "`HEAD` has no `Content-Length`",
    concerns: ({ request }) => request.method === "HEAD",
    check: async (response, request) => {
      const { status, headers } = strip(new Response(null, response));
      assert.equal(headers.get("content-length"), null);
      if (status === 304) return new Response(null, { status, headers });
      const { body } = await sendAlone(new Request(request, { method: "GET" }));
      headers.set("content-length", String((await new Response(body).arrayBuffer()).byteLength));
      return new Response(null, { status, headers });
    },
  },
  lateRefusal("Next.js closes the connection"),
];

testNodeApp("a route handler of Next.js", APP, { name: "Next.js", strip, deviations: DEVIATIONS });
