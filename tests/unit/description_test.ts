/**
 * The description: its operations, failures and numbers, and its names and words, which become types and pages. tests/heavy/clients has
 * linters, which find components that nothing uses.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PetstoreOptions } from "../../mod.ts";
import { ERROR_STATUS } from "../../lib/error_codes.ts";
import type { JsonObject } from "../../lib/operations/json_types.ts";
import { DESCRIBED_OPERATIONS, OPERATIONS } from "../../lib/operations/table.ts";
import { FORGETFUL, objectsIn, openApiOf, readWhole } from "../support/descriptions.ts";
import { follow } from "../support/openapi_validator.ts";

test("every failure refers to the one schema Error, with its codes, an example of each, and no other", () => {
  const { description, operations, schemas } = readWhole();
  assert.deepEqual(Object.keys(schemas), ["PetStatus", "NewPet", "Pet", "Pets", "Error"]);
  const codes = (schemas["Error"]!["properties"] as Record<string, JsonObject>)["code"]!["examples"];
  // No operation is gone by default.
  assert.deepEqual(codes, Object.keys(ERROR_STATUS).filter((code) => code !== "gone"));
  const failures = operations.flatMap(({ responses }) => Object.entries(responses as Record<string, JsonObject>))
    .filter(([status]) => Number(status) >= 400);
  assert.ok(failures.length > 15);
  for (const [status, response] of failures) {
    const { content } = follow(description, response);
    const { schema, examples } = (content as Record<string, Record<string, JsonObject>>)["application/json"]!;
    const bodies = Object.values(examples!).map((example) => (example as JsonObject)["value"] as JsonObject);
    // No enumeration: a strict client would fail at a code of a later release.
    assert.deepEqual(schema, { $ref: "#/components/schemas/Error" });
    assert.ok(bodies.length > 0);
    for (const { code, status: told } of bodies) {
      assert.deepEqual([told, ERROR_STATUS[code as keyof typeof ERROR_STATUS]], [Number(status), Number(status)]);
    }
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
  assert.equal(new Set(OPERATIONS.map(({ id }) => id)).size, OPERATIONS.length);
});

test("the description labels the operations that the option stability names, for every platform, and no other", () => {
  for (const [label, name] of [["experimental", "Experimental"], ["alpha", "Alpha"], ["beta", "Beta"]] as const) {
    const { paths } = openApiOf({ stability: { getPet: label } }) as Record<string, Record<string, JsonObject>>;
    const labelled = Object.values(paths!).flatMap((path) => Object.values(path) as JsonObject[])
      .filter((operation) => "x-stability" in operation || "x-badges" in operation || "x-mint" in operation);
    assert.deepEqual(labelled.map((operation) => operation["operationId"]), ["getPet"]);
    const [{ "x-stability": stability, "x-badges": badges, "x-mint": mint }] = labelled as [JsonObject];
    assert.deepEqual([stability, badges, mint], [label, [{ name, label: name }], { metadata: { tag: name } }]);
  }
  assert.doesNotMatch(JSON.stringify(openApiOf()), /x-stability|x-badges|x-mint/);
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
  const kept = operationOf(false);
  assert.doesNotMatch(JSON.stringify(kept), /deprecat|sunset|successor|removed/i);
  assert.equal(kept["description"], "Returns one animal by identifier.");
});

test("a path has at most one parameter, at its end, and each method once", () => {
  const operations = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(operations).size, operations.length);
  for (const { path } of OPERATIONS) assert.match(path, /^(\/[a-z]+)+(\/\{\w+\})?$/);
});

test("the description keeps the names of responses that operations share", () => {
  const { description, responses } = readWhole();
  const shared = Object.keys(responses).filter((name) => JSON.stringify(description).includes(`/responses/${name}"`));
  assert.deepEqual(shared.sort(), [
    "InternalError",
    "StoreUnavailable",
    "Unauthorized",
  ]);
  // Without createOnce(), an Idempotency-Key is refused.
  const forgetful = JSON.stringify(openApiOf({ store: FORGETFUL }));
  assert.doesNotMatch(forgetful, /Idempotency-Replayed|IdempotencyReplayed|idempotency_key_reused":\{/);
  assert.match(forgetful, /"not_implemented":\{"summary":"Idempotency-Key is not supported/);
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
    "animals",
    "animals",
    "animals",
    "store",
  ]);
  const served = JSON.stringify(openApiOf({ handleStoreOrders: () => new Response() }));
  assert.deepEqual([orders!["x-hideTryItPanel"], served.includes("x-hideTryItPanel")], [true, false]);
  const groups = [{ name: "Pets", tags: ["animals"] }, { name: "Store", tags: ["store"] }];
  assert.deepEqual(description["x-tagGroups"], groups);
  for (const [i, tag] of (tags as unknown as JsonObject[]).entries()) {
    const { name, tags } = groups[i]!;
    assert.deepEqual([tag["name"], tag["x-page-title"]], [tags[0], name]);
    // A sidebar shows the group, and within it the tag.
    assert.equal(tag["x-displayName"], ["Animals", "Orders"][i]);
    // GitBook shows both, one above the other.
    assert.match(String(tag["x-page-description"]), /^[A-Z].*\.$/);
    assert.notEqual(tag["x-page-description"], tag["description"]);
  }
  assert.deepEqual([one!["deprecated"], one!["x-deprecated-sunset"]], [true, "2030-12-05"]);
  const { enum: statuses, "x-enumDescriptions": meanings } = schemas["PetStatus"]!;
  assert.deepEqual(Object.keys(meanings!), statuses);
  assert.deepEqual(Object.values(meanings!), ["Animal is available.", "Animal is pending.", "Animal is sold."]);
  const { type, scheme } = (components!["securitySchemes"] as Record<string, JsonObject>)["bearer"]!;
  assert.deepEqual([type, scheme, description["security"]], ["http", "bearer", [{ bearer: [] }]]);
});
