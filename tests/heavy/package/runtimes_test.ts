/** The installed package on every runtime that it supports, by `import` and by `require`. */

import assert from "node:assert/strict";
import { testUnless } from "../../support/system/commands.ts";
import { bun, type Install, npm, withProject } from "./support/project.ts";
import { succeed } from "./support/run.ts";
import { BUN, DENO, fileOf, NODE, NODES, type Runtime, versionOf } from "./support/runtimes.ts";

const LUNA = '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"available"}';

/** The responses that consumers/exchange.mjs prints for every store. */
const RESPONSES = [`201 ${LUNA}`, `200 [${LUNA}]`, `200 ${LUNA}`];

const INSTALLED: [runtime: Runtime, by: string, install: Install][] = [
  [NODES[0]!, "npm", npm(NODES[0]!)],
  [NODES.at(-1)!, "npm", npm(NODES.at(-1)!)],
  [BUN, "bun add", bun(BUN)],
  [DENO, "npm", npm(NODE)],
];

for (const [{ name, command, args, skip }, by, install] of INSTALLED) {
  testUnless(skip)(
    `${name} installs the package by ${by}, imports and requires it, and commits on a thread of its own`,
    () =>
      withProject(install, async (folder) => {
        for (const file of ["import.mjs", "require.cjs"]) {
          const { stdout, stderr } = await succeed(command, [...args, file], folder);
          const told = Object.values(JSON.parse(stdout));
          assert.deepEqual(told, [RESPONSES, RESPONSES, RESPONSES], file);
          // The only output on standard error: Node 22 warns that its SQLite is experimental.
          assert.doesNotMatch(stderr.replaceAll(SQLITE_WARNING, ""), /\S/, file);
        }
        const { stdout } = await succeed(command, [...args, "writer.mjs"], folder);
        assert.deepEqual(JSON.parse(stdout), { writer: "thread", inOrder: true });
      }),
  );
}

const ESBUILD = [NODE.command, fileOf("esbuild", versionOf("esbuild"), "bin/esbuild"), "--bundle", "--platform=node"];

/** Bundles, whose address is not that of the thread's module: loading it into a thread would start the program again. */
const BUNDLED: Record<string, [file: string, command: string[]]> = {
  "esbuild as esm": ["bundle.mjs", [...ESBUILD, "--format=esm"]],
  "esbuild as cjs": ["bundle.cjs", [...ESBUILD, "--format=cjs"]],
};

for (const [bundler, [file, [program = "", ...flags]]] of Object.entries(BUNDLED)) {
  testUnless(NODE.skip)(
    `a program that is bundled by ${bundler} runs once, and its SQLite store commits on the calling thread`,
    () =>
      withProject(npm(NODE), async (folder) => {
        await succeed(program, [...flags, "writer.mjs", `--outfile=${file}`], folder);
        const { stdout } = await succeed(NODE.command, [file, "40"], folder);
        assert.deepEqual(JSON.parse(stdout), { writer: "same-thread", inOrder: true });
      }),
  );
}

const SQLITE_WARNING = /^\(node:\d+\) ExperimentalWarning: (SQLite|CommonJS) .*\n(\(Use `node --trace.*\n)?/gm;
