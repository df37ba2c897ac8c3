/** The clients that the commands of docs/clients.md generate, compiled strictly and used against a real server. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hasCommand, testUnless } from "../support/system/commands.ts";
import { CASES, type Connect } from "./clients/contract.ts";
import { type ClientResponse, type Clients, MODULES, type PetClient } from "./clients/pet_client.ts";
import { generate, KEY, OUTPUTS, SHOWN, withServer } from "./support/service.ts";
import { FOLDER, NODE, succeed, withPrism } from "./support/tools.ts";

const HEADERS = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };

/** The largest int64. */
const MAX = "9223372036854775807";

test("the commands of docs/clients.md generate every client from the description of a server", generate);

for (const project of ["tsconfig.json", "tsconfig.loose.json"]) {
  test(`generated code and the code that uses it compiles with ${project}`, async () => {
    await generate();
    assert.match(await succeed("tsc", ["--project", project, "--listFiles"]), /\/generated\/.*\/clients\//s);
  });
}

for (const [module, names] of Object.entries(MODULES)) {
  for (const name of names) {
    test(`the client of ${name}, against the running server`, async (t) => {
      const create = (await load(module))[name]!;
      await withServer(async ({ base }) => {
        const connect: Connect = (key = KEY) => create(base, key);
        for (const { name, run } of CASES) await t.test(name, () => run(connect));
      });
    });

    test(`the client of ${name} rounds every int64 that it reads or sends, without an error`, async () => {
      const create = (await load(module))[name]!;
      await withServer(async ({ base }) => {
        const client = create(base, KEY);
        const body = `{"name":"Max","categoryId":${MAX}}`;
        assert.equal((await fetch(`${base}/pets`, { method: "POST", headers: HEADERS, body })).status, 201);
        assert.equal((await client.get(1)).data?.categoryId, 2 ** 63); // One more than the server sent.
        // The compiler rounds the literal: 9007199254740993 in the source is this number already.
        assert.equal((await client.create({ name: "Rex", categoryId: Number("9007199254740993") })).status, 201);
        const text = await (await fetch(`${base}/pets`, { headers: HEADERS })).text();
        assert.deepEqual(text.match(/(?<="categoryId":)\d+/g), [MAX, "9007199254740992"]);
        // The largest int64 is rounded to 2^63, which is not an int64.
        assert.equal((await client.create({ name: "Rex", categoryId: Number(MAX) })).error?.code, "invalid_pet");
      });
    });
  }
}

test("Kubb's schemas refuse a number beyond 2^53", async () => {
  await generate();
  const path = "./generated/kubb/zod/index.ts";
  const { newPetSchema } = await import(path);
  const accepts = (categoryId: number) => newPetSchema.safeParse({ name: "Max", categoryId }).success;
  assert.deepEqual([accepts(2 ** 53 - 1), accepts(2 ** 53)], [true, false]);
});

test("through Prism: no request and no response violates the description, with any client", async (t) => {
  await generate();
  await withServer(({ base }) =>
    withPrism(base, async (address) => {
      for (const [module, names] of Object.entries(MODULES)) {
        for (const name of names) {
          const create = (await load(module))[name]!;
          const connect: Connect = (key = KEY) => guard(create(address, key));
          const cases = CASES.filter(({ isForPrism }) => isForPrism);
          for (const each of cases) await t.test(`${name} ${each.name}`, () => each.run(connect));
        }
      }
    })
  );
});

/** The same client, which also looks for violations that Prism reports in a header. */
function guard(client: PetClient): PetClient {
  const guarded = Object.entries(client).map(([name, ask]) => [name, async (...args: unknown[]) => {
    const response: ClientResponse<unknown, string> = await Reflect.apply(ask, client, args);
    assert.equal(response.headers.get("sl-violations"), null, name);
    return response;
  }]);
  return Object.fromEntries(guarded);
}

/** Not a literal: Deno would look for files that are not generated yet. */
async function load(module: string): Promise<Clients> {
  await generate();
  const path = `./clients/${module}.ts`;
  return (await import(path)).CLIENTS;
}

test("docs/clients.md shows the files that the tests use", () => {
  assert.ok(SHOWN.size >= 3, "docs/clients.md has lost its examples");
  for (const [path, text] of SHOWN) assert.equal(text, readFileSync(FOLDER + path, "utf8"), path);
});

const EXAMPLES = [...Object.values(MODULES).flat(), "openapi_fetch_exact", "hey_api_exact", "orval_exact"];

for (const runtime of ["Deno", "Node"]) {
  testUnless(runtime === "Deno" || hasCommand(NODE) ? false : "there is no Node for this system among the packages")(
    `the examples print what docs/clients.md says, on ${runtime}`,
    async () => {
      await generate();
      for (const name of EXAMPLES) {
        await withServer(async ({ base }) => {
          const env = { ON: runtime, PETSTORE_URL: base, PETSTORE_KEY: KEY };
          const output = await succeed(`examples/${name}.ts`, [], env);
          assert.ok(OUTPUTS.includes(output), `${name}: ${output}`);
          if (!name.endsWith("_exact")) return;
          assert.equal(output, `${MAX}n ${MAX}n ${MAX}n\n`);
          const text = await (await fetch(`${base}/pets`, { headers: HEADERS })).text();
          assert.ok(text.includes(`"categoryId":${MAX},`));
        });
      }
    },
  );
}
