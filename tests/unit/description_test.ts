/**
 * What the description says of pets, and what the options of a petstore change in it. The whole
 * description is in openapi.json, which tests/project compares with it, and each response that a
 * test sees is checked against it. tests/heavy/clients has linters.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { createOpenApi } from "../../lib/openapi/openapi.ts";
import type { JsonObject } from "../../lib/operations/json_types.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";
import { FORGETFUL, objectsIn, openApiOf, readWhole } from "../support/descriptions.ts";

const REX = { name: "Rex", categoryId: 7, status: "sold" };
const NAMES = ["x".repeat(255), "😀".repeat(255), " x ", "", "\u00a0", "x".repeat(256), "a\nb", "x\u009f"];
const CATEGORY_IDS = [-1, 7.5, "7"];
const STATUSES = ["available", "lost", null];

const NEW_PETS: unknown[] = [
  { ...REX, age: 3 },
  { name: "Rex", categoryId: 7 },
  { name: "Rex" },
  [],
  "Rex",
  ...NAMES.map((name) => ({ ...REX, name })),
  ...CATEGORY_IDS.map((categoryId) => ({ ...REX, categoryId })),
  ...STATUSES.map((status) => ({ ...REX, status })),
];

test("the schema of a new pet takes exactly what the petstore takes", async () => {
  const { schemas, findFault } = readWhole();
  await withApi(IN_PROCESS, {}, async (api) => {
    for (const pet of NEW_PETS) {
      const { status } = await api.post(pet);
      assert.equal(findFault(schemas["NewPet"]!, pet) === undefined, status === 201, JSON.stringify(pet));
    }
  });
});

test("every example of the description is right by its schema", () => {
  const { description, findFault } = readWhole();
  let count = 0;
  const check = (schema: JsonObject, example: unknown) => {
    assert.equal(findFault(schema, example), undefined, JSON.stringify(example));
    count++;
  };
  for (const object of objectsIn(description)) {
    const { schema, example, examples = {} } = object as Record<string, JsonObject>;
    if (example !== undefined) check(schema!, example);
    if (Array.isArray(examples)) { for (const each of examples) check(object, each); }
    else for (const each of Object.values(examples)) check(schema!, (each as JsonObject)["value"]);
  }
  assert.ok(count > 15, `only ${count} examples were found`);
});

test("the description has the days of the option deprecation, the response after the end, or no deprecation", () => {
  const operationOf = (deprecation: PetstoreOptions["deprecation"]) =>
    (openApiOf({ deprecation: deprecation! })["paths"] as Record<string, { get: JsonObject }>)["/pets/{petId}"]!.get;
  const ended = operationOf({
    sunset: new Date("2031-02-03T04:05:06Z"),
    successor: "https://a.example/v2/pets",
    gone: true,
  });
  assert.deepEqual([ended["deprecated"], ended["x-deprecated-sunset"]], [true, "2031-02-03"]);
  assert.match(String(ended["description"]), /removed on 3 February 2031\. .*`https:\/\/a\.example\/v2\/pets`\.$/);
  assert.ok("410" in (ended["responses"] as object));
  assert.doesNotMatch(JSON.stringify(operationOf(false)), /deprecat|sunset|successor|removed/i);
});

test("createOpenApi() describes the effects of the other options, and takes a petstore and nothing else", () => {
  const { servers, ...described } = openApiOf({
    basePath: "",
    maxBodyBytes: 5,
    defaultStatus: "sold",
    handleStoreOrders: () => new Response(),
  });
  assert.deepEqual(servers, [{ url: "/" }]);
  const text = JSON.stringify(described);
  assert.match(text, /At most 5 bytes.*Default: `sold`\./);
  assert.doesNotMatch(text, /This petstore has no store orders/);
  assert.deepEqual(openApiOf({ publicBaseUrl: "/store/v1" })["servers"], [{ url: "/store/v1" }]);
  assert.doesNotMatch(
    JSON.stringify(openApiOf({ store: FORGETFUL })),
    /Idempotency-Replayed|idempotency_key_reused":\{/,
  );
  const petstore = createPetstore({ keys: ["k"] });
  assert.throws(() => createOpenApi(petstore, { servers: ["x"] } as never), TypeError);
  for (const other of [undefined, { handle: (request: Request) => petstore.handle(request) }]) {
    assert.throws(() => createOpenApi(other as never), /what createPetstore\(\) has returned/);
  }
});
