/** A petstore in a route handler of Next.js, built and started as in production. */

import { UNDECODABLE_PATH } from "../../support/conformance.ts";
import { LATE_REFUSAL } from "./support/mounts.ts";
import { type NodeApp, testNodeApp } from "./support/node_app.ts";

const NEXT = "../../node_modules/next/dist/bin/next";

const APP: NodeApp = {
  folder: "nextjs",
  mount: "app/v1/[[...path]]/route.ts",
  // With a file of TypeScript, Next.js would want its compiler. `deno task ok` checks the types.
  runsJavaScript: true,
  build: [NEXT, "build"],
  serve: (port) => [NEXT, "start", "--hostname", "127.0.0.1", "--port", String(port)],
  started: /Ready in/,
};

testNodeApp("a route handler of Next.js", APP, {
  always: UNDECODABLE_PATH,
  sometimes: [LATE_REFUSAL],
});
