/** The clients that the commands of docs/clients.md generate, compiled strictly and used against a real server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY } from "../../support/api.ts";
import { readPage } from "../../support/pages.ts";
import { nextPage } from "./examples/common.ts";
import { generate, OUTPUTS, succeed, withServer } from "./support/tools.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

for (const project of ["tsconfig.json", "tsconfig.loose.json"]) {
  test(`generated code and the code that uses it compiles with ${project}`, async () => {
    await generate();
    assert.match(await succeed("tsc", ["--project", project, "--listFiles"]), /\/generated\/.*\/examples\//s);
  });
}

test("nextPage follows a list to its end", () =>
  withServer(async (origin) => {
    const ids: number[] = [];
    for (const name of ["Rex", "Bo", "Max"]) {
      await fetch(`${origin}/v1/pets`, { method: "POST", headers: HEADERS, body: `{"name":"${name}","categoryId":7}` });
    }
    for (let page: { cursor?: string } | undefined = {}; page;) {
      const query = new URLSearchParams({ limit: "2", ...page });
      const response: Response = await fetch(`${origin}/v1/pets?${query}`, { headers: HEADERS });
      ids.push(...(await response.json()).map(({ id }: { id: number }) => id));
      page = nextPage(response.headers);
    }
    assert.deepEqual(ids, [1, 2, 3]);
  }));

test("docs/clients.md shows nextPage and the functions for int64 as they are tested", () => {
  const page = readPage("docs/clients.md");
  const [, nextPageText = ""] = readPage("tests/heavy/clients/examples/common.ts").split("\n\n").slice(-2);
  for (const text of [nextPageText, readPage("tests/heavy/clients/examples/exact_json.ts")]) {
    assert.ok(text.length > 100 && page.includes(text), text);
  }
});

for (const name of ["openapi_fetch", "hey_api", "openapi_fetch_exact"]) {
  test(`the example ${name} prints what docs/clients.md says`, async () => {
    await generate();
    await withServer(async (origin) => {
      const env = { PETSTORE_URL: `${origin}/v1`, PETSTORE_KEY: KEY };
      assert.equal(await succeed(`examples/${name}.ts`, [], env), OUTPUTS[name.endsWith("_exact") ? 1 : 0]);
    });
  });
}
