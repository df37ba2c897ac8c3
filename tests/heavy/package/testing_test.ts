/** The contracts of the installed package accept a correct store and refute a wrong one, with every common test runner. */

import assert from "node:assert/strict";
import { testUnless } from "../../support/system/commands.ts";
import { bun, npm, withProject } from "./support/project.ts";
import { run } from "./support/run.ts";
import { BUN, DENO, fileOf, NODE, versionOf } from "./support/runtimes.ts";

const FILE = "./own_store.test.mjs";
const vitest = fileOf("vitest", versionOf("vitest"), "vitest.mjs");

/** `passed` finds the number of cases that passed. */
const RUNNERS = [
  { ...NODE, args: ["--test", "--test-reporter=tap", FILE], install: npm(NODE), passed: /^# pass (\d+)$/m },
  { ...DENO, args: ["test", "--allow-all", "--no-check", FILE], install: npm(NODE), passed: /(\d+) passed/ },
  { ...BUN, args: ["test", FILE], install: bun(BUN), passed: /^ *(\d+) pass$/m },
  { ...NODE, name: "Vitest", args: [vitest, "run"], install: npm(NODE), passed: /Tests .*?(\d+) passed/ },
];

for (const { name, skip, command, args, install, passed } of RUNNERS) {
  testUnless(skip)(
    `with ${name}, the contracts accept a correct store, and name the guarantees that a wrong one breaks`,
    () =>
      withProject(install, async (folder) => {
        const right = await run(command, args, folder);
        const output = right.stdout + right.stderr;
        assert.equal(right.status, 0, output.slice(-3000));
        const count = Number(passed.exec(output)?.[1]);
        assert.ok(count > 80, output.slice(-3000));

        const wrong = await run(command, args, folder, { WRONG_STORE: "1" });
        assert.notEqual(wrong.status, 0);
        assert.match(
          wrong.stdout + wrong.stderr,
          /A store must keep this guarantee \(exactness\): a pet is returned exactly as it/,
        );
      }),
  );
}
