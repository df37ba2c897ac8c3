/** The clients that the commands of docs/clients.md generate, compiled strictly and used against a real server. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type Case, CASES, type Connect } from "./clients/contract.ts";
import { type ClientResponse, CLIENTS, type CreateClient, type PetClient } from "./clients/pet_client.ts";
import { generate, KEY, withServer } from "./support/service.ts";
import { run, succeed, withPrism } from "./support/tools.ts";

test("the commands of docs/clients.md generate every client from the description of a server", generate);

for (const project of ["tsconfig.json", "tsconfig.loose.json"]) {
  test(`generated code and the code that uses it compiles with ${project}`, async () => {
    await generate();
    assert.match(await succeed("tsc", ["--project", project, "--listFiles"]), /\/generated\/.*\/clients\//s);
  });
}

test("with exactOptionalPropertyTypes, only code that comes with three of the tools does not compile", async () => {
  await generate();
  const { output } = await run("tsc", ["--project", "tsconfig.loose.json", "--exactOptionalPropertyTypes"]);
  const files = [...output.matchAll(/^(\S+\.ts)\(\d+,/gm)].map(([, file = ""]) => file);
  const foreign = [/^generated\/hey_api\w*\/(client|core)\//, /^generated\/kubb\/\.kubb\//, /\/@zodios\/core\//];
  for (const pattern of foreign) {
    assert.ok(files.some((file) => pattern.test(file)), `${pattern} compiles now: move it to tsconfig.json`);
  }
  assert.deepEqual(files.filter((file) => !foreign.some((pattern) => pattern.test(file))), []);
});

for (const name of CLIENTS) {
  test(`the client of ${name}, against the running server`, async (t) => {
    const create = await load(name);
    await withServer(async ({ base }) => {
      const connect: Connect = (key = KEY) => create(base, key);
      const cases = CASES.filter(({ isPossible = () => true }) => isPossible(connect()));
      for (const { name, run } of cases) await t.test(name, () => run(connect));
    });
  });
}

test("through Prism: no valid request and no response to one violates the description, with any client", (t) =>
  runThroughPrism(t, [], ({ notThroughPrism }) => notThroughPrism === undefined));

test("through Prism: no response violates the description, even if the request does, with any client", (t) =>
  runThroughPrism(
    t,
    ["--validate-request", "false"],
    ({ notThroughPrism = "request" }) => notThroughPrism === "request",
  ));

async function runThroughPrism(t: TestContext, args: string[], isFit: (each: Case) => boolean) {
  await generate();
  await withServer(({ base }) =>
    withPrism(base, args, async (address) => {
      for (const name of CLIENTS) {
        const create = await load(name);
        const connect: Connect = (key = KEY) => guard(create(address, key));
        for (const each of CASES.filter(isFit)) await t.test(`${name} ${each.name}`, () => each.run(connect));
      }
    })
  );
}

async function load(name: string): Promise<CreateClient> {
  await generate();
  // Not a literal: Deno would look for files that are not generated yet.
  const path = `./clients/${name}.ts`;
  return (await import(path)).create;
}

/** The same client, which also looks for violations that Prism reports in a header. */
function guard(client: PetClient): PetClient {
  const guarded = Object.entries(client).map(([name, ask]) => [name, async (...args: unknown[]) => {
    const response: ClientResponse<unknown, string> = await Reflect.apply(ask, client, args);
    assert.equal(response.headers.get("sl-violations"), null, name);
    return response;
  }]);
  return Object.fromEntries(guarded);
}
