/**
 * The description: its operations, failures and numbers, and its names and words, which become types and pages. tests/clients has
 * linters, which find components that nothing uses.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { PRECONDITION_FAILED } from "../../lib/http/conditional.ts";
import type { JsonObject } from "../../lib/json_types.ts";
import { DESCRIBED_OPERATIONS, OPERATIONS } from "../../lib/operations/table.ts";
import { renderOperation } from "../../lib/openapi/operations.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { FORGETFUL, objectsIn, openApiOf, readWhole } from "../support/descriptions.ts";

test("createOpenApi() gives every failure a plain object schema with its codes, and its status", () => {
  const { schemas, responses } = openApiOf()["components"] as Record<string, Record<string, JsonObject>>;
  const paths = openApiOf()["paths"] as Record<string, Record<string, { responses: Record<string, JsonObject> }>>;
  const inline = Object.values(paths).flatMap((path) => Object.values(path)).flatMap((operation) =>
    Object.entries(operation.responses)
  );
  const failures = inline.filter(([status]) => Number(status) >= 400).map(([status, { $ref, ...response }]) => {
    const { content } = $ref ? responses?.[String($ref).split("/").at(-1)!] ?? {} : response;
    const { schema, examples } = (content as Record<string, Record<string, JsonObject>>)["application/json"]!;
    const name = String(schema?.["$ref"]).split("/").at(-1)!;
    return { name, status: Number(status), schema: schemas?.[name], examples };
  });
  assert.ok(failures.length > 15);
  for (const { name, status, schema, examples } of failures) {
    const { type, required, properties } = schema as { type: string; required: string[]; properties: JsonObject };
    assert.deepEqual([type, required], ["object", ["code", "message", "status"]]);
    assert.deepEqual((properties["status"] as JsonObject)["enum"], [status]);
    const shown = Object.values(examples ?? {}).map((example) =>
      ((example as JsonObject)["value"] as JsonObject)["code"]
    );
    // A schema has the codes of one operation: another with other codes needs a name of its own.
    assert.deepEqual([...new Set(shown)], (properties["code"] as JsonObject)["enum"], name);
  }
});

test("createOpenApi() gives limit and every status the format int32, and int64 no bounds that JavaScript rounds", () => {
  const text = JSON.stringify(openApiOf());
  assert.match(text, /"name":"limit",[^}]*"schema":\{"type":"integer","format":"int32"/);
  assert.doesNotMatch(text, /"status":\{"type":"integer"(?!,"format":"int32")/);
  assert.doesNotMatch(text, /"type":"integer"(?!,"format":"int(32|64)")/);
  assert.doesNotMatch(text, /"type":"(?!(array|http|integer|object|string)")/);
  assert.doesNotMatch(text, /922337203685477\d/);
});

test("every operation is described, and no other", () => {
  assert.deepEqual(DESCRIBED_OPERATIONS.map(([definition]) => definition), OPERATIONS);
  const names = DESCRIBED_OPERATIONS.map(([, describe]) => describe(checkOptions({ keys: ["k"] })).id);
  assert.equal(new Set(names).size, OPERATIONS.length);
});

test("the description tells how far an operation can be relied on, if it is not stable", () => {
  const [definition, describe] = DESCRIBED_OPERATIONS[0]!;
  for (const stability of [undefined, "beta", "experimental"] as const) {
    const described = { ...definition, ...stability && { stability } };
    const { operationObject } = renderOperation(described, describe(checkOptions({ keys: ["k"] })), [], () => ({}));
    assert.equal(operationObject["x-stability"], stability);
  }
});

test("an operation whose responses have an entity tag, or that alters what has one, is described with 412", () => {
  for (const [{ effect }, describe] of DESCRIBED_OPERATIONS) {
    const { id, responses, failures } = describe(checkOptions({ keys: ["k"] }));
    const isConditional = effect === "alters" ||
      Object.values(responses).some(({ headers }) => headers?.includes("ETag"));
    assert.equal(failures.some(({ errors }) => errors.includes(PRECONDITION_FAILED)), isConditional, id);
  }
});

test("a path has at most one parameter, at its end, and each method once", () => {
  const operations = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(operations).size, operations.length);
  for (const { path } of OPERATIONS) assert.match(path, /^(\/[a-z]+)+(\/\{\w+\})?$/);
});

/** Each becomes a type of generated clients. */
const FAILURES = "BodyTooLargeError Error IdempotencyKeyReusedError InsufficientScopeError InternalServerError " +
  "InvalidPetError InvalidPetQueryError NoStoreOrdersError PetNotFoundError PreconditionFailedError RateLimitedError " +
  "RequestTimeoutError StoreUnavailableError TransferCodingError UnauthorizedError UnavailableError UnsupportedMediaTypeError";

test("the description keeps the names of failures, and of responses that operations share", () => {
  const { description, responses } = readWhole();
  const failuresOf = (components: JsonObject) =>
    Object.keys(components["schemas"]!).filter((name) => name.endsWith("Error")).sort();
  assert.deepEqual(failuresOf(description["components"] as JsonObject), FAILURES.split(" "));
  assert.deepEqual(
    Object.keys(responses).filter((name) => /^(Un|Internal|Rate)/.test(name)).sort(),
    ["InternalError", "RateLimited", "Unauthorized"],
  );
  // Without createOnce(), an Idempotency-Key is refused.
  const forgetful = openApiOf({ store: FORGETFUL });
  const added = failuresOf(forgetful["components"] as JsonObject).filter((name) => !FAILURES.includes(name));
  assert.deepEqual(added, ["NotSupportedError"]);
  assert.doesNotMatch(JSON.stringify(forgetful["components"]), /Idempotency-Replayed|IdempotencyReplayed/);
});

test("everything in the description is described in sentences, and every reference leads to a standard", () => {
  const { description, operations } = readWhole();
  const other = openApiOf({ store: FORGETFUL, handleStoreOrders: () => new Response(), cors: { origins: ["*"] } });
  const described = [...objectsIn(description), ...objectsIn(other)];
  const texts = described.map(({ description }) => description).filter((text) => typeof text === "string");
  assert.ok(texts.length > 60);
  for (const text of texts) assert.match(text, /^[A-Z](?!.*( {2}|, or [.,]))(.*\.|[\w :-]+ header)$/s);
  for (const { name, in: place, description } of described) if (place && name) assert.ok(description, String(name));
  for (const each of [description, other]) {
    assert.equal(String((each["info"] as JsonObject)["description"]).includes("Access-Control-"), each === other);
  }
  for (const { summary } of operations) assert.match(String(summary), /^[A-Z][a-z ]+$/);
  const references = described.map(({ externalDocs }) => externalDocs as JsonObject).filter((each) => each);
  assert.equal(references.length, 5);
  for (const { url } of references) {
    assert.match(
      String(url),
      /^https:\/\/(www\.rfc-editor\.org\/rfc\/rfc\d+|datatracker\.ietf\.org\/doc\/draft-[a-z-]+\/)$/,
    );
  }
});

test("the description has the names of the specification, its tags in their groups, and the scheme of its key", () => {
  const { description, operations, schemas } = readWhole();
  const { info, tags, components } = description as Record<string, JsonObject>;
  assert.deepEqual([info!["title"], info!["version"]], ["Petstore", "1.0.0"]);
  assert.deepEqual(info!["license"], { name: "MIT", identifier: "MIT" });
  const [list, create, one, orders] = operations;
  assert.deepEqual([list, create, one].map((each) => each!["operationId"]), ["listPets", "createPet", "getPet"]);
  assert.deepEqual([list, create, one, orders].map((each) => (each!["tags"] as string[])[0]), [
    ...["animals", "animals", "animals", "store"],
  ]);
  assert.deepEqual((tags as unknown as JsonObject[]).map(({ name }) => name), ["animals", "store"]);
  const groups = [{ name: "Pets", tags: ["animals"] }, { name: "Store", tags: ["store"] }];
  assert.deepEqual(description["x-tagGroups"], groups);
  assert.deepEqual([one!["deprecated"], one!["x-deprecated-sunset"]], [true, "2030-12-05"]);
  const { enum: statuses, description: told } = schemas["PetStatus"]!;
  for (const status of statuses as string[]) {
    assert.ok(String(told).includes(`\`${status}\`: the animal is ${status}`), status);
  }
  const { type, scheme } = (components!["securitySchemes"] as Record<string, JsonObject>)["bearer"]!;
  assert.deepEqual([type, scheme, description["security"]], ["http", "bearer", [{ bearer: [] }]]);
});
