/** The examples of docs/clients.md: the page shows these files, and they print what it says, on Deno and Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hasCommand, testUnless } from "../support/system/commands.ts";
import { CLIENTS } from "./clients/pet_client.ts";
import { generate, KEY, OUTPUTS, SHOWN, withServer } from "./support/service.ts";
import { FOLDER, NODE, succeed } from "./support/tools.ts";

const EXACT = ["9223372036854775807n 9223372036854775807n 9223372036854775807n"];

const testOnNode = testUnless(hasCommand(NODE) ? false : "there is no Node for this system among the packages");

test("docs/clients.md shows the files that the tests use", () => {
  assert.ok(SHOWN.size >= 3, "docs/clients.md has lost its examples");
  for (const [path, text] of SHOWN) assert.equal(text, readFileSync(FOLDER + path, "utf8"), path);
});

for (const name of [...CLIENTS, "openapi_fetch_exact", "hey_api_exact", "orval_exact"]) {
  const path = `examples/${name}.ts`;
  test(`${path} prints what docs/clients.md says, on Deno`, () => check(path, path, []));
  testOnNode(`${path} prints what docs/clients.md says, on Node 24`, () => check(path, NODE, [path]));
}

async function check(path: string, program: string, args: string[]): Promise<void> {
  await generate();
  await withServer(async ({ base }) => {
    const output = await succeed(program, args, { PETSTORE_URL: base, PETSTORE_KEY: KEY });
    assert.ok(OUTPUTS.includes(output), output);
    if (!path.endsWith("_exact.ts")) return;
    assert.deepEqual(output.trimEnd().split("\n"), EXACT);
    const headers = { authorization: `Bearer ${KEY}` };
    assert.match(await (await fetch(`${base}/pets`, { headers })).text(), /"categoryId":9223372036854775807,/);
  });
}
