/** A petstore in a route handler of Next.js, built and started as in production. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { CLOSED_EARLY, type Deviation, exactly, undecodable, unknownMethod } from "./support/contract.ts";
import { sendAlone } from "../support/http/send_alone.ts";
import { APP_KEY } from "./support/mounts.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const NEXT = "../../node_modules/next/dist/bin/next";

const APP: NodeApp = {
  folder: "nextjs",
  mount: "app/v1/[[...path]]/route.js",
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
    reason: "redirects a path with empty segments by 308 to one without, before any handler is called",
    applies: ({ url }) => new URL(url).pathname.includes("//"),
    check: ({ status, headers }, { url }) => {
      assert.deepEqual([status, headers.get("location")], [308, new URL(url).pathname.replaceAll(/\/+/g, "/")]);
    },
  },
  undecodable("answers 500 in plain text to a path that does not decode", exactly(500, "Internal Server Error")),
  unknownMethod(
    "answers 400 without a body to a method that no route handler can export",
    exactly(400, ""),
    /^(QUERY|get|constructor)$/,
  ),
  {
    reason: "leaves Content-Length out of the response to HEAD",
    applies: ({ method }) => method === "HEAD",
    check: async (response, request) => {
      const { status, headers } = strip(response);
      assert.equal(headers.get("content-length"), null);
      if (status === 304) return new Response(null, { status, headers });
      const { body } = await sendAlone(new Request(request, { method: "GET" }));
      headers.set("content-length", String((await new Response(body).arrayBuffer()).byteLength));
      return new Response(null, { status, headers });
    },
  },
];

testNodeApp(
  "a route handler of Next.js",
  APP,
  { name: "Next.js", strip, deviations: DEVIATIONS, cut: CLOSED_EARLY },
  (context, origin) =>
    context.test("Next.js accepts no further request on a connection after a 413", async () => {
      assert.deepEqual(await statusesOnOneConnection(Number(new URL(origin).port)), ["413"]);
    }),
);

/** Sends a body that is too long and has no length, then another request, and reads until the server closes. */
async function statusesOnOneConnection(port: number): Promise<string[]> {
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${APP_KEY}\r\n`;
  const body = `${(3_145_728).toString(16)}\r\n${" ".repeat(3_145_728)}\r\n0\r\n\r\n`;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => text += data);
  socket.write(`POST /v1/pets ${head}Transfer-Encoding: chunked\r\n\r\n${body}GET /v1/pets ${head}\r\n`);
  // Closed by a reset, because some of the body was not read.
  await new Promise<void>((resolve) => socket.on("error", () => {}).on("close", () => resolve()));
  return Array.from(text.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status = ""]) => status);
}
