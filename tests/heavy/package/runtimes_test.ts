/**
 * The package on every runtime that it supports, as strangers with an empty home use it: by
 * `import`, by `require`, and as a program.
 */

import assert from "node:assert/strict";
import { dirname } from "node:path";
import process from "node:process";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { bun, clientOf, type Install, npm, npmCli, start, succeed, withProject } from "./support/project.ts";
import { BUN, DENO, fileOf, NODE, NODES, type Runtime, versionOf } from "./support/runtimes.ts";

const LUNA = '{"id":1,"name":"Luna","categoryId":9223372036854775807,"status":"available"}';

/** The responses that consumers/exchange.mjs prints for every store. */
const RESPONSES = [`201 ${LUNA}`, `200 [${LUNA}]`, `200 ${LUNA}`];

/** Each runtime, with how strangers install the packages, and what they type to start the program without that. */
const STRANGERS: (Runtime & { install: Install; once: string[] })[] = [
  ...NODES.map((node) => ({ ...node, install: npm(node), once: [npmCli("npx"), "-y", "@petstore/petstore"] })),
  { ...BUN, install: bun(BUN), once: ["x", "--bun", "@petstore/petstore"] },
  // Deno takes no package that was published today, unless it is told to.
  { ...DENO, install: npm(NODE), once: ["run", "-A", "--minimum-dependency-age=0", "npm:@petstore/petstore"] },
];

for (const { name, command, args, skip, install, once } of STRANGERS) {
  testUnless(skip)(
    `${name} imports and requires the installed package, and commits on a thread of its own`,
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

  testUnless(skip)(
    `on ${name}, one command serves pets to a stranger, ends at SIGTERM, and keeps the pets`,
    () =>
      withTempFolder(async (folder) => {
        const env = { PATH: `${dirname(command)}:${process.env["PATH"]}` };
        for (const isFirst of [true, false]) {
          // A group of its own, because npx does not pass a signal on to its child. A terminal
          // sends Ctrl-C to the whole group.
          await using server = start("setsid", [command, ...once, "serve", "--port=0"], folder, env);
          try {
            const { pets } = await clientOf(server, folder);
            if (isFirst) await pets.create({ name: "Rex", categoryId: 2n ** 63n - 1n });
            assert.equal((await pets.get(1n)).categoryId, 2n ** 63n - 1n);
          } finally {
            await succeed("pkill", ["-TERM", "-g", String(server.pid)], folder);
            await server.exit();
          }
        }
      }),
  );
}

const ESBUILD = [NODE.command, fileOf("esbuild", versionOf("esbuild"), "bin/esbuild"), "--bundle", "--platform=node"];

/**
 * Bundles, whose address is not that of the thread's module: loading it into a thread would start
 * the program again.
 */
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
