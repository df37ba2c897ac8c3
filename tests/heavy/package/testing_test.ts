/** The programs of docs/testing.md, with the installed package. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ROOT } from "../../../tools/release/packages.ts";
import { testUnless } from "../../support/system/commands.ts";
import { freePort } from "../../support/system/free_port.ts";
import { until } from "../../support/until.ts";
import { npm, run, withProject } from "./support/project.ts";
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
