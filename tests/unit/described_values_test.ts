/** What generated clients and documentation pages take from the description: its schemas and its examples. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../lib/operations/json_types.ts";
import { IN_PROCESS, withApi } from "../support/api.ts";
import { objectsIn, readWhole } from "../support/descriptions.ts";
import { follow } from "../support/openapi_validator.ts";

const REX = { name: "Rex", categoryId: 7, status: "sold" };
const STORED = { id: 1, ...REX };

const NAMES = [
  "x",
  "x".repeat(255),
  "😀".repeat(255),
  " x ",
  "",
  " ",
  "\u00a0",
  "x".repeat(256),
  "a\nb",
  "\u007fx",
  "x\u009f",
];
const CATEGORY_IDS = [-1, 7.5, "7", null];
const STATUSES = ["available", "pending", "lost", "", null];

const NEW_PETS: unknown[] = [
  REX,
  { ...REX, age: 3 },
  { name: "Rex", categoryId: 7 },
  { name: "Rex" },
  { categoryId: 7 },
  {},
  [],
  null,
  "Rex",
  ...NAMES.map((name) => ({ ...REX, name })),
  { ...REX, name: 7 },
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

/** Values of a schema, and such that are not. */
const VALUES: [schema: string, right: unknown[], wrong: unknown[]][] = [
  ["Pet", [STORED], [REX, ...Object.keys(REX).map((name) => ({ ...STORED, [name]: undefined }))]],
  ["Pet", [{ ...STORED, id: 2 ** 53 - 1 }], [0, 1.5, 2 ** 53, "1"].map((id) => ({ ...STORED, id }))],
  ["Pets", [[], [STORED], Array(100).fill(STORED)], [STORED, [REX], Array(101).fill(STORED)]],
  // A later release, or a proxy in front, may send a code that is not known.
  ["Error", ["invalid_pet", "of_a_proxy"].map((code) => ({ code, message: "…", status: 400 })), [
    { message: "…", status: 400 },
    { code: "invalid_pet", status: 400 },
    { code: "invalid_pet", message: "…" },
    { code: 7, message: "…", status: 400 },
    { code: "invalid_pet", message: 1, status: 400 },
    { code: "invalid_pet", message: "…", status: 200 },
    { code: "invalid_pet", message: "…", status: 600 },
    { code: "invalid_pet", message: "…", status: 400.5 },
    { code: "invalid_pet", message: "…", status: "400" },
  ]],
];

test("the schemas of responses take what the petstore sends, and nothing that clients could not read", () => {
  const { schemas, findFault } = readWhole();
  for (const [name, right, wrong] of VALUES) {
    const faultOf = (value: unknown) => findFault(schemas[name]!, JSON.parse(JSON.stringify(value)));
    for (const value of right) assert.equal(faultOf(value), undefined, name);
    for (const value of wrong) assert.notEqual(faultOf(value), undefined, `${name} ${JSON.stringify(value)}`);
  }
});

/** Where each parameter is, whether it is required, a value, and some that are none. */
const PARAMETERS: Record<string, readonly [string, boolean, unknown, readonly unknown[]]> = {
  limit: ["query", false, 20, [0, 101, 1.5, "1"]],
  status: ["query", false, "sold", ["lost", 1]],
  cursor: ["query", false, "YWZ0ZXI6MQ", [1]],
  "If-None-Match": ["header", false, '"a"', [1]],
  "Idempotency-Key": ["header", false, "a", ["", 1]],
  petId: ["path", true, 1, [1.5, "a"]],
};

test("the description has the parameters that operations have, and the schema of each", () => {
  const { description, findFault } = readWhole();
  const seen = new Set<unknown>();
  const operations = Object.entries(description["paths"]!).flatMap(([path, item]) =>
    Object.values(item as Record<string, JsonObject>).map((operation) => ({ path, ...operation }) as JsonObject)
  );
  for (const { path, parameters = [], responses, requestBody } of operations as Record<string, JsonObject[]>[]) {
    const names = parameters!.map(({ name }) => name);
    assert.equal(names.includes("If-None-Match"), Object.hasOwn(responses!, 304), String(path));
    for (const [, name] of String(path).matchAll(/\{(\w+)\}/g)) assert.ok(names.includes(name!), String(path));
    for (const { name, in: place, required = false, schema } of parameters!) {
      const [at, isRequired, right, wrong] = PARAMETERS[String(name)]!;
      assert.deepEqual([place, required], [at, isRequired], String(name));
      assert.equal(findFault(schema as JsonObject, right), undefined, String(name));
      for (const value of wrong) assert.notEqual(findFault(schema as JsonObject, value), undefined, `${name} ${value}`);
      seen.add(name);
    }
    if (requestBody) assert.equal((requestBody as unknown as JsonObject)["required"], true);
  }
  assert.deepEqual([...seen].sort(), Object.keys(PARAMETERS).sort());
});

/** Headers of responses: whether each response that lists them has them, and a value that they never have. */
const HEADERS: Record<string, [isRequired: boolean, wrong: string]> = {
  ETag: [true, '"eaaaaaaadggmkofnlmhklako"'],
  NextPage: [false, '</v1/pets>; rel="prev"'],
  Deprecation: [true, "1795132800"],
  Sunset: [true, "2030-12-05"],
  Successor: [true, '</v1/pets>; rel="next"'],
  Location: [true, "/v1/pets/0"],
  IdempotencyReplayed: [false, "false"],
  Challenge: [true, "Basic"],
  RetryAfter: [true, "soon"],
  AcceptEncoding: [false, "gzip"],
  AcceptPost: [true, "text/plain"],
};

test("the description says which headers a response always has, and what is in them", () => {
  const { operations, headers, findFault } = readWhole();
  assert.deepEqual(Object.keys(headers).sort(), Object.keys(HEADERS).sort());
  for (const [name, [isRequired, wrong]] of Object.entries(HEADERS)) {
    const { required, schema } = headers[name]!;
    assert.equal(required, isRequired, name);
    assert.notEqual(findFault(schema as JsonObject, wrong), undefined, name);
    assert.equal((schema as JsonObject)["type"], "string", name);
  }
  // A response that may come before the operation is reached need not announce its deprecation.
  const { responses } = operations.find(({ deprecated }) => deprecated) as { responses: Record<string, JsonObject> };
  const announced = Object.entries(responses).filter(([, { headers = {} }]) => "Deprecation" in (headers as object));
  assert.deepEqual(announced.map(([status]) => status), ["200", "304", "404"]);
});

/** The examples of the description, each with its schema. */
function* examplesIn(description: JsonObject): Generator<[schema: JsonObject, example: unknown]> {
  for (const object of objectsIn(description)) {
    const { schema, example, examples = {} } = object as Record<string, JsonObject>;
    if (example !== undefined) yield [schema!, example];
    if (Array.isArray(examples)) { for (const each of examples) yield [object, each]; }
    else for (const each of Object.values(examples)) yield [schema!, (each as JsonObject)["value"]];
  }
}

test("the description has an example of each body and each member of a pet, and all examples are right", () => {
  const { description, operations, schemas, findFault } = readWhole();
  for (const [schema, value] of examplesIn(description)) {
    assert.equal(findFault(schema, value), undefined, JSON.stringify(value));
  }
  const bodies = operations.flatMap(({ requestBody = {}, responses }) => [requestBody, ...Object.values(responses!)])
    .flatMap((body) => Object.values(follow(description, body as JsonObject)["content"] ?? {}));
  for (const [, { message = "An error" }] of examplesIn(description) as Iterable<[unknown, JsonObject]>) {
    assert.match(String(message), /^[A-Z](?!.*"").*[^ .]$/);
  }
  const { id, name, categoryId } = schemas["Pet"]!["properties"] as Record<string, JsonObject>;
  const idempotencyKey = operations.flatMap(({ parameters = [] }) => parameters as JsonObject[])
    .find(({ name }) => name === "Idempotency-Key");
  for (const shown of [...bodies, id, name, categoryId]) {
    const [first] = examplesIn(shown as JsonObject);
    assert.ok(first && JSON.stringify(first[1]) !== "[]", JSON.stringify(shown));
  }
  // Pages such as Scalar and RapiDoc send an example with every request, and the second pet would be refused.
  assert.deepEqual([
    ...examplesIn(idempotencyKey as JsonObject),
    ...examplesIn(idempotencyKey!["schema"] as JsonObject),
  ], []);
});
