/** The names and the words of the description, which become types and pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../lib/json_types.ts";
import { FORGETFUL, objectsIn, openApiOf, readWhole } from "../support/descriptions.ts";

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
