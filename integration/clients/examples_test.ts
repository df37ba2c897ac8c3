/** docs/clients.md: what it shows is what is in the files, and what the examples print is what they should. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generate, SHOWN } from "./support/page.ts";
import { KEY, withServer } from "./support/service.ts";
import { FOLDER, succeed } from "./support/tools.ts";

const LARGEST = "9223372036854775807";

test("docs/clients.md shows the files as they are", () => {
  assert.ok(SHOWN.size >= 12, `Only ${SHOWN.size} files are shown`);
  for (const [path, text] of SHOWN) assert.equal(text, readFileSync(join(FOLDER, path), "utf8"), path);
});

for (const name of ["openapi_fetch", "hey_api", "orval"]) {
  test(`the example of ${name} adds three pets, lists them page by page, and knows an error by its code`, async () => {
    const printed = await runExample(`examples/${name}.ts`);
    assert.match(printed, /^1 Rex\n2 Luna\n3 Milo\n.*limit must be a whole number from 1 to 100.*\n$/);
  });

  test(`the exact example of ${name} keeps an int64 to the last digit, there and back`, async () => {
    assert.equal(await runExample(`examples/${name}_exact.ts`), `${LARGEST}n ${LARGEST}n ${LARGEST}n\n`);
  });
}

test("JSON.parse alone rounds an int64, which is why there are exact examples", () => {
  assert.notEqual(String(JSON.parse(LARGEST)), LARGEST);
});

async function runExample(path: string): Promise<string> {
  await generate();
  return await withServer(({ base }) => succeed(path, [], { PETSTORE_URL: base, PETSTORE_KEY: KEY }));
}
