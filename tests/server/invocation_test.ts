/** A hint names a command as the user has started the program, so that it can be typed again. */

import assert from "node:assert/strict";
import { test } from "../support/server/in_process.ts";
import { NODE, ROOT, taskFlags } from "../support/server/serve_task.ts";
import { skipUnless, testUnless } from "../support/system/commands.ts";

/** The hint of a command that needs a label. */
async function hintOf(program: string, args: readonly string[], cwd: string): Promise<string> {
  const command = new Deno.Command(program, { args: [...args, "keys", "add"], cwd, stdout: "null", stderr: "piped" });
  const { code, stderr } = await command.output();
  assert.equal(code, 2);
  return new TextDecoder().decode(stderr);
}

const SAY = "petstore: Say what the key is for, as in";

test.withFolder("on Deno, a hint names the task in a checkout, and the program elsewhere", async (folder) => {
  const args = ["run", ...taskFlags(), `${ROOT}server.ts`];
  assert.equal(await hintOf(Deno.execPath(), args, ROOT), `${SAY} deno task petstore keys add --label ci\n`);
  assert.equal(await hintOf(Deno.execPath(), args, folder), `${SAY} petstore keys add --label ci\n`);
});

testUnless(skipUnless([NODE], "the Node package", () => {}))(
  "on Node, a hint in a checkout names its main module",
  async () => {
    const hint = await hintOf(NODE, ["lib/server/node/main.ts"], ROOT);
    assert.equal(hint, `${SAY} node lib/server/node/main.ts keys add --label ci\n`);
  },
);
