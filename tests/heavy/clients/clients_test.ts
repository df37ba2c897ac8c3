/** The clients that the commands of docs/clients.md generate, compiled strictly and used against a real server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../support/pages.ts";
import { nextPage } from "./examples/common.ts";
import { generate, KEY, OUTPUTS, withServer } from "./support/service.ts";
import { succeed } from "./support/tools.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

/** Each has an example of its name. */
const CLIENTS = ["openapi_fetch", "hey_api"];

/** The largest int64. */
const MAX = "9223372036854775807";

test("the commands of docs/clients.md generate every client from the description of a server", generate);

for (const project of ["tsconfig.json", "tsconfig.loose.json"]) {
  test(`generated code and the code that uses it compiles with ${project}`, async () => {
    await generate();
    assert.match(await succeed("tsc", ["--project", project, "--listFiles"]), /\/generated\/.*\/examples\//s);
  });
}

test("nextPage follows a list to its end", () =>
  withServer(async ({ base }) => {
    const ids: number[] = [];
    for (const name of ["Rex", "Bo", "Max"]) {
      await fetch(`${base}/pets`, { method: "POST", headers: HEADERS, body: `{"name":"${name}","categoryId":7}` });
    }
    for (let page: { cursor?: string } | undefined = {}; page;) {
      const response: Response = await fetch(`${base}/pets?${new URLSearchParams({ limit: "2", ...page })}`, {
        headers: HEADERS,
      });
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

const EXAMPLES = [...CLIENTS, "openapi_fetch_exact", "hey_api_exact"];

test("the examples print what docs/clients.md says", async () => {
  await generate();
  for (const name of EXAMPLES) {
    await withServer(async ({ base }) => {
      const output = await succeed(`examples/${name}.ts`, [], { PETSTORE_URL: base, PETSTORE_KEY: KEY });
      assert.ok(OUTPUTS.includes(output), `${name}: ${output}`);
      if (!name.endsWith("_exact")) return;
      assert.equal(output, `${MAX}n ${MAX}n ${MAX}n\n`);
      const text = await (await fetch(`${base}/pets`, { headers: HEADERS })).text();
      assert.ok(text.includes(`"categoryId":${MAX},`));
    });
  }
});
