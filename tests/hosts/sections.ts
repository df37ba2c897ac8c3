/** What docs/hosts.md says of each host, beside the program. */

import { HOSTS } from "./hosts.ts";

/** A part of the page: programs as they are, and what is to be known about them. */
export interface Section {
  title: string;
  /** What it needs, and how it is run. */
  text: string;
  /** The programs, by their paths in the repository. */
  files: readonly string[];
  /** What the host does in its own way, a sentence each. */
  changes: readonly string[];
}

const NODE = "Node; tested on Node 24, which runs TypeScript as it is.";
const LISTENER = "`createNodeListener()` needs no other package.";
const ORDER =
  "Whatever reads bodies, such as `express.json()`, must come after it: a body that has been read is answered " +
  "with 500, and `onError` is told why";
const NODE_TIMEOUT =
  "Node closes a connection whose request has not arrived within 300 seconds (`server.requestTimeout`)";

/** Beside what hosts.ts says, by the program's file. */
const TEXTS: Record<string, { text: string; changes?: string[] }> = {
  "deno.ts": {
    text: "Nothing but Deno: `deno run --allow-net --allow-env app.ts`.",
    changes: [
      "`Deno.serve` has no time limit for headers, and makes the URL of whatever the `Host` header says: put a proxy in " +
      "front ([deployment](deployment.md))",
    ],
  },
  "deno_serve.ts": {
    text:
      "Nothing but Deno: `deno serve --port 8000 --allow-env app.ts`. The runtime starts the server; `--parallel` " +
      "starts one for each core, and each would have a memory store of its own, so give them an SQLite file.",
  },
  "bun.ts": { text: "Nothing but Bun: `bun app.ts`." },
  "node.ts": { text: `${NODE} ${LISTENER}`, changes: [NODE_TIMEOUT] },
  "node_srvx.ts": { text: `${NODE} An app that is written for \`Request\` and \`Response\` already may use srvx.` },
  "node_hono_server.ts": { text: `${NODE} The adapter of Hono, with or without Hono.` },
  "hono.ts": {
    text:
      "Any runtime that Hono has; here Deno. `app.mount()` would take the base path away: [see below](#a-path-prefix).",
  },
  "express.ts": {
    text:
      `${NODE} ${LISTENER} The listener is a middleware; it looks at \`originalUrl\`, so it does not mind that Express ` +
      "takes the base path away.",
    changes: [ORDER, 'Express adds `X-Powered-By: Express`, unless told not to: `app.disable("x-powered-by")`'],
  },
  "fastify.ts": {
    text:
      `${NODE} ${LISTENER} Fastify reads bodies before its handlers run, and a JSON body that it has parsed has lost its ` +
      "int64. So the petstore takes over in a hook, in a scope of its own that no other route is in.",
    changes: ["Hooks that run after `onRequest`, such as `preHandler` and `onSend`, do not see its requests"],
  },
  "h3.ts": { text: `${NODE} Version 2 of h3, whose events have a \`Request\`. \`serve()\` is srvx.` },
  "elysia.ts": {
    text: 'Bun. `parse: "none"` keeps Elysia from reading the body.',
  },
  "koa.ts": {
    text: `${NODE} ${LISTENER}`,
    changes: [
      "With `respond = false` no middleware of Koa sees the answer",
      ORDER.replace("`express.json()`", "`koa-body`"),
    ],
  },
};

/** A section for each host here. */
export const HOST_SECTIONS: readonly Section[] = HOSTS.map(({ name, file, runtime, deviations, keepsLength }) => {
  const { text, changes = [] } = TEXTS[file] ?? { text: "" };
  const framing = keepsLength ? [] : ["Answers are sent in chunks, without `Content-Length`; those to `HEAD` have it"];
  return {
    title: name.includes(runtime.name) ? name : `${name}, on ${runtime.name}`,
    text,
    files: [`tests/hosts/programs/${file}`],
    changes: [...deviations.map(({ says }) => says), ...framing, ...changes],
  };
});
