/** The description as a Postman collection, which newman runs against the server. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchDescription, KEY, type Service, withServer } from "./support/service.ts";
import { FOLDER, succeed } from "./support/tools.ts";

const COLLECTION = "generated/collection.json";
const REPORT = "generated/newman.json";

/** The status of the response to each request of the collection, in order. */
const EXPECTED: [request: string, status: number][] = [
  ["List all animals", 200],
  ["Add an animal", 201],
  ["Get an animal", 200],
  ["Store orders", 501],
];

/** Makes a collection from the description of a server, with or without the optional parameters. */
async function importDescription(service: Service, hasOptional: boolean): Promise<void> {
  const path = await fetchDescription(service, "postman.json");
  const options = `enableOptionalParameters=${hasOptional},parametersResolution=Example,folderStrategy=Tags`;
  await succeed("openapi2postmanv2", ["-s", path, "-o", COLLECTION, "-O", options]);
}

/** A part of newman's report. */
type Execution = {
  item: { name: string };
  response: { code: number; stream: { data: number[] } };
  assertions?: unknown[];
};

/** A response, and how many of the collection's own tests ran with it. */
type Seen = { name: string; status: number; text: string; checks: number };

async function runCollection({ base }: Service): Promise<Seen[]> {
  const variables = ["--env-var", `baseUrl=${base}`, "--env-var", `bearerToken=${KEY}`];
  await succeed("newman", ["run", COLLECTION, ...variables, "--reporters", "json", "--reporter-json-export", REPORT]);
  const { run } = JSON.parse(Deno.readTextFileSync(`${FOLDER}/${REPORT}`));
  assert.deepEqual(run.failures, []);
  return run.executions.map(({ item, response, assertions = [] }: Execution) => {
    const text = new TextDecoder().decode(new Uint8Array(response.stream.data));
    return { name: item.name, status: response.code, text, checks: assertions.length };
  });
}

test("a Postman collection of the description runs with no unexpected response", () =>
  withServer(async (service) => {
    await importDescription(service, false);
    const seen = await runCollection(service);
    assert.deepEqual(seen.map(({ name, status }) => [name, status]), EXPECTED);
    assert.equal(seen[1]?.text, '{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
    assert.equal(seen[2]?.text, seen[1]?.text);
  }));

test("a collection with every optional parameter runs too, with the cursor of a real page", () =>
  withServer(async (service) => {
    await importDescription(service, true);
    const path = `${FOLDER}/${COLLECTION}`;
    const collection = Deno.readTextFileSync(path);
    assert.match(collection, /"key":"cursor","value":"string"/);
    assert.match(collection, /"key":"Idempotency-Key"/);
    const real = collection.replace('"key":"cursor","value":"string"', '"key":"cursor","value":"YWZ0ZXI6MQ"');
    Deno.writeTextFileSync(path, real);
    for (const replayed of [false, true]) {
      const seen = await runCollection(service);
      assert.deepEqual(seen.map(({ name, status }) => [name, status]), EXPECTED);
      // The collection sends the same Idempotency-Key each time.
      assert.match(seen[1]?.text ?? "", /"id":1,/, String(replayed));
    }
  }));

test("newman sends and keeps int64 exactly, as text; a script of the collection sees a rounded number", () =>
  withServer(async (service) => {
    await importDescription(service, false);
    const path = `${FOLDER}/${COLLECTION}`;
    const text = Deno.readTextFileSync(path);
    assert.match(text, /\\"categoryId\\": 7,/);
    const collection = JSON.parse(text.replaceAll('\\"categoryId\\": 7,', '\\"categoryId\\": 9223372036854775807,'));
    const exec = [
      "const { categoryId } = pm.response.json();",
      "if (categoryId) pm.test('rounded', () => pm.expect(String(categoryId)).to.equal('9223372036854776000'));",
    ];
    collection.event = [{ listen: "test", script: { type: "text/javascript", exec } }];
    Deno.writeTextFileSync(path, JSON.stringify(collection));
    const [, created, got] = await runCollection(service);
    for (const response of [created, got]) {
      assert.match(response?.text ?? "", /"categoryId":9223372036854775807,/);
      assert.equal(response?.checks, 1);
    }
  }));
