/** docs/hosts.md, made of the programs that are tested. */

import { readFileSync } from "node:fs";
import { EDGE_SECTIONS } from "./edge_sections.ts";
import { OWN_SECTIONS } from "./own_sections.ts";
import { HOST_SECTIONS, type Section } from "./sections.ts";

const ROOT = new URL("../../", import.meta.url);

const INTRODUCTION = `<!-- Written by \`deno task docs:hosts\`; change tests/hosts and run it. -->

# Embedding

A petstore is one function, \`handle\`, from \`Request\` to \`Response\`. Here is how it is mounted in the hosts that people
have, beside a route of the app's own. Each program is a file of the repository that the tests start as it is, as a real
process on its runtime: \`deno task integration:hosts\` runs the whole HTTP contract through each of them, mounted at the
root, under \`/v1\` and under \`/api/v1\`. Workers, Service Workers and frameworks that are built first have the same in
\`deno task integration:edge\`: workerd, real Chromium, and the built app on Node.

Four things are the same everywhere:

- Give \`handle\` the requests below the base path, and leave their bodies unread.
- \`basePath\` is the path that the petstore sees. Hosts that take a prefix away are [a section of their own](#a-path-prefix).
- \`createPetstore()\` without a \`store\` keeps pets in memory. [README](../README.md) has the SQLite store and all options.
- Beyond the contract, every host of the first part is tested to keep two \`Set-Cookie\` fields apart, to stream long bodies
  without reading ahead of a slow client, and to tell a handler by \`request.signal\` that its client is gone.

What a host does in its own way is said below its program, and is tested to be just that. All else is as the petstore
itself would answer.
`;

/** The whole page. */
export function createPage(): string {
  return [
    INTRODUCTION,
    "## Hosts\n",
    ...HOST_SECTIONS.map(format),
    "## At the edge, in a page, in a framework\n",
    ...EDGE_SECTIONS.map(format),
    "## Your own things\n",
    ...OWN_SECTIONS.map(format),
  ].join("\n");
}

function format({ title, text, files, changes }: Section): string {
  const programs = files.map((path) => {
    const source = readFileSync(new URL(encodeURI(path), ROOT), "utf8");
    // Brackets are part of some paths.
    return `[\`${path}\`](../${encodeURI(path)}):\n\n\`\`\`${path.split(".").at(-1)}\n${source.trimEnd()}\n\`\`\`\n`;
  });
  const list = changes.length === 0 ? [] : [changes.map((change) => `- ${change}.\n`).join("")];
  return [`### ${title}\n`, `${text}\n`, ...programs, ...list].join("\n");
}
