/** The installed package on every runtime that it supports, by `import` and by `require`. */

import assert from "node:assert/strict";
import { testUnless } from "../support/system/commands.ts";
import { bun, type Install, npm, withProject } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { BUN, DENO, NODE, NODES, type Runtime } from "./support/runtimes.ts";

const LUNA = '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"available"}';
const REX = '{"id":2,"name":"Rex","categoryId":9007199254740993,"status":"sold"}';

/** The answers that consumers/exchange.mjs prints for every store. */
const ANSWERS = [
  "200 []",
  `201 ${LUNA}`,
  `201 ${REX}`,
  `200 [${LUNA}]`,
  `200 [${REX}]`,
  `200 ${LUNA}`,
  '404 {"code":"pet_not_found","message":"There is no pet \\"3\\"","status":404}',
];

const INSTALLED: [runtime: Runtime, by: string, install: Install][] = [
  ...NODES.map((node): [Runtime, string, Install] => [node, "npm", npm(node)]),
  [BUN, "bun add", bun(BUN)],
  [DENO, "npm", npm(NODE)],
];

for (const [{ name, command, args, skip }, by, install] of INSTALLED) {
  testUnless(skip)(
    `${name} installs the package by ${by} with no network, and imports and requires it`,
    () =>
      withProject(install, async (folder) => {
        for (const file of ["import.mjs", "require.cjs"]) {
          const { stdout, stderr } = await succeed(command, [...args, file], folder);
          const told = Object.values(JSON.parse(stdout));
          assert.deepEqual(told, [ANSWERS, ANSWERS, ANSWERS], file);
          // The only output on standard error: Node 22 warns that its SQLite is experimental.
          assert.doesNotMatch(stderr.replaceAll(SQLITE_WARNING, ""), /\S/, file);
        }
      }),
  );
}

const SQLITE_WARNING = /^\(node:\d+\) ExperimentalWarning: (SQLite|CommonJS) .*\n(\(Use `node --trace.*\n)?/gm;
