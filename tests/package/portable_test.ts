/** The portable tests on the oldest and the newest Node; `deno task test` runs them on the other runtimes. */

import assert from "node:assert/strict";
import { PORTABLE_TESTS } from "../support/portable_tests.ts";
import { testUnless } from "../support/system/commands.ts";
import { withTempFolder } from "../support/temp.ts";
import { ROOT } from "./support/project.ts";
import { run } from "./support/run.ts";
import { NODES } from "./support/runtimes.ts";

for (const { name, command, skip } of [NODES[0]!, NODES.at(-1)!]) {
  testUnless(skip)(`every portable test passes on ${name}`, async () => {
    // In the environment, so that child processes have them too. Newer releases accept the flag although they do not need it.
    const NODE_OPTIONS = "--experimental-strip-types --disable-warning=ExperimentalWarning";
    const args = ["--test", "--test-reporter=tap", ...PORTABLE_TESTS];
    const { status, stdout } = await withTempFolder((HOME) =>
      // Otherwise each of hundreds of threads would compile the store again.
      run(command, args, ROOT, { NODE_OPTIONS, NODE_COMPILE_CACHE: HOME, HOME })
    );
    const failed = stdout.split("\n").filter((line) => /^\s*(not ok|error:)/.test(line));
    assert.equal(status, 0, failed.slice(0, 40).join("\n") || stdout.slice(-3000));
    const count = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(count > 550, `only ${count} tests were run`);
    console.log(`${name}: ${count} tests passed`);
  });
}
