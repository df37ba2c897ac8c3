/** The programs of docs/testing.md, with the installed package. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import process from "node:process";
import { testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { until } from "../../support/until.ts";
import { npm, ROOT, withProject } from "./support/project.ts";
import { run, start, succeed } from "./support/run.ts";
import { fileOf, NODE, versionOf } from "./support/runtimes.ts";

const vitest = fileOf("vitest", versionOf("vitest"), "vitest.mjs");

const PAGE = readFileSync(join(ROOT, "docs/testing.md"), "utf8");

testUnless(NODE.skip)(
  "docs/testing.md's programs for Vitest and node:test start a server, and reset it before each test",
  () =>
    withProject(npm(NODE), async (folder) => {
      const port = String(await freePort());
      const programs = Array.from(PAGE.replaceAll("8000", port).matchAll(/^```js ignore\n([^]*?)^```$/gm), ([, text]) =>
        text!);
      writeFileSync(join(folder, "vitest.config.mjs"), programs[0]!);
      writeFileSync(join(folder, "petstore.setup.mjs"), programs[1]!);
      writeFileSync(join(folder, "pets.test.mjs"), programs[2]!);
      // Each runner runs its own test alone.
      writeFileSync(join(folder, "pets.node.test.mjs"), programs[3]!);
      const { status, stdout, stderr } = await run(NODE.command, [vitest, "run"], folder);
      assert.deepEqual([status, /Tests .*?(\d+) passed/.exec(stdout)?.[1]], [0, "2"], (stdout + stderr).slice(-3000));
      const onNode = await run(NODE.command, ["--test", "--test-reporter=tap", "./pets.node.test.mjs"], folder);
      assert.deepEqual(
        [onNode.status, /^# pass (\d+)$/m.exec(onNode.stdout)?.[1]],
        [0, "1"],
        onNode.stdout.slice(-3000),
      );
      await until("the end of the server", () =>
        fetch(`http://127.0.0.1:${port}/livez`).then(() => false, () => true));
      // If the server cannot start, the tests must not pass without it.
      const taken = createServer().listen(Number(port), "127.0.0.1");
      assert.notEqual((await run(NODE.command, [vitest, "run"], folder)).status, 0);
      taken.close();
    }),
);

testUnless(NODE.skip)(
  "docs/testing.md's steps for GitHub Actions start a server, and wait until it is ready",
  () =>
    withProject(npm(NODE), async (folder) => {
      const port = String(await freePort());
      const [, command] = /^- run: \|\n {4}(.*) &\n {2}env:\n {4}PETSTORE_KEYS: test$/m.exec(PAGE) ?? [];
      const [, wait = ""] = /^- run: (curl .*)$/m.exec(PAGE) ?? [];
      const env = { PATH: `${dirname(NODE.command)}:${process.env["PATH"]}`, PETSTORE_KEYS: "test", PORT: port };
      await using server = start("bash", ["-c", `exec ${command}`], folder, env);
      await succeed("bash", ["-c", wait.replace("8000", port)], folder);
      const headers = { authorization: "Bearer test" };
      const response = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=100`, { headers });
      assert.equal((await response.json()).length, 20);
      assert.equal(await server.stop(), 0);
    }),
);
