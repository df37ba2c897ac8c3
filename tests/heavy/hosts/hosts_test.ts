/**
 * The programs of docs/hosts.md: each in a process of its own, with its differences from the
 * petstore's own responses.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConforms, UNDECODABLE_PATH } from "../../support/conformance.ts";
import { readPage } from "../../support/pages.ts";
import { BUN } from "../../support/runtimes.ts";
import { NODE } from "../../support/server/serve_task.ts";
import { Child } from "../../support/system/child.ts";
import { skipUnless, testUnless } from "../../support/system/commands.ts";

/** A program in programs/. */
interface MountedHost {
  name: string;
  file: string;
  /** The command that runs a file. */
  runtime: readonly [command: string, ...args: string[]];
  /** The base path that clients see. Default: `/v1`. */
  basePath?: string;
  /** Whether the program has nothing but the petstore. Otherwise it has a route `/hello` of its own. */
  isPetstoreAlone?: true;
  /** The cases of `@petstore/conformance` that the host breaks. docs/hosts.md names the difference. */
  broken?: readonly string[];
}

const DENO = [Deno.execPath(), "run", "-A"] as const;
const BUN_RUNTIME = [BUN] as const;
const NODE_24 = [NODE, "--disable-warning=ExperimentalWarning", "--import", "../../support/names.mjs"] as const;

const HOSTS: readonly MountedHost[] = [
  { name: "Deno.serve", file: "deno.ts", runtime: DENO },
  { name: "Bun.serve", file: "bun.ts", runtime: BUN_RUNTIME },
  { name: "node:http", file: "node.ts", runtime: NODE_24 },
  { name: "Hono on Node", file: "node_hono.ts", runtime: NODE_24 },
  { name: "Express 5", file: "express.ts", runtime: NODE_24 },
  { name: "Fastify 5", file: "fastify.ts", runtime: NODE_24, broken: UNDECODABLE_PATH },
  {
    name: "A router of Hono that removes the prefix",
    file: "behind_prefix.ts",
    runtime: DENO,
    basePath: "/api/v1",
    isPetstoreAlone: true,
  },
  {
    name: "A petstore that is the default export, on Bun,",
    file: "default_export.ts",
    runtime: BUN_RUNTIME,
    isPetstoreAlone: true,
  },
];

const KEY = "pk_example";

/** What a program prints when it listens, with its port. */
const LISTENS = /\b(?:http:\/\/[^\s/]+:|port: )(\d+)(?=\D)/;

for (const { name, file, runtime: [command, ...args], basePath = "/v1", isPetstoreAlone, broken = [] } of HOSTS) {
  testUnless(skipUnless([command]))(
    `${name} keeps the HTTP contract, except as docs/hosts.md says`,
    async () => {
      const options = { cwd: import.meta.dirname ?? "", env: { PORT: "0", NO_COLOR: "1" } };
      await using program = new Child(command, [...args, `programs/${file}`], options);
      const [, port] = await Promise.any([program.printed(LISTENS), program.printed(LISTENS, "stderr")]);
      const origin = `http://127.0.0.1:${port}`;
      if (!isPetstoreAlone) {
        const response = await fetch(`${origin}/hello`);
        assert.deepEqual([response.status, await response.text()], [200, "Hello from the app"]);
      }
      await assertConforms({ baseUrl: origin + basePath, key: KEY }, { always: broken });
      // A trace of the stack: a client could fill a log with it, or hang a program whose standard error is not read.
      assert.doesNotMatch(program.written.stderr, /^ +at /m);
    },
  );
}

test("docs/hosts.md shows each program as it is in the file that is named before it", () => {
  for (const section of readPage("docs/hosts.md").split("\n### ").slice(1)) {
    const [, program] = /^```ts\n([^]*?)^```$/m.exec(section) ?? [];
    const [, path = ""] = /`(tests\/\S+)`/.exec(section) ?? [];
    if (program !== undefined) assert.equal(program, readPage(path), path);
  }
});
