/** Both contracts on Deno KV, with the package `@deno/kv` on Node and Bun. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { hasCommand, testUnless } from "../../support/system/commands.ts";
import { ROOT } from "../../support/pages.ts";
import { RUNTIMES } from "./support.ts";

const FILES = ["./tests/contract/store_test.ts", "./tests/contract/http_test.ts"];

const { os, arch } = Deno.build;
const BUN = `node_modules/.deno/node_modules/@oven/bun-${os}-${arch === "x86_64" ? "x64" : arch}/bin/bun`;

const RUNNERS: Record<string, [command: string, ...args: string[]]> = {
  "Node 24": [...RUNTIMES["Node"]!, "--test-reporter=tap", "--test", "--test-name-pattern=Deno KV"],
  Bun: [join(ROOT, BUN), "test", "--timeout=60000", "--test-name-pattern=Deno KV"],
};

/** Matches a passed case of either contract, in either runtime's output. */
const PASSED = {
  store: /^ *(ok \d+ -|\(pass\)) a Deno KV store /gm,
  http: /^ *(ok \d+ -|\(pass\)) in-process, Deno KV store: /gm,
};

for (const [name, [command, ...args]] of Object.entries(RUNNERS)) {
  const skip = hasCommand(command) ? false : `there is no ${name} package for this machine`;
  testUnless(skip)(`both contracts are kept on Deno KV on ${name}`, async () => {
    const env = { PETSTORE_TEST_KV: "1" };
    const child = new Deno.Command(command, {
      args: [...args, ...FILES],
      cwd: ROOT,
      env,
      stdout: "piped",
      stderr: "piped",
    });
    const { success, stdout, stderr } = await child.output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.ok(success, output.slice(-3000));
    assert.ok((output.match(PASSED.store)?.length ?? 0) > 35, output.slice(-3000));
    assert.ok((output.match(PASSED.http)?.length ?? 0) > 70, output.slice(-3000));
  });
}
