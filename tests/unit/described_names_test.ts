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
  const { description, operations, headers } = readWhole();
  const other = openApiOf({ store: FORGETFUL, handleStoreOrders: () => new Response(), cors: { origins: ["*"] } });
  const described = [...objectsIn(description), ...objectsIn(other)];
  const texts = described.map(({ description }) => description).filter((text) => typeof text === "string");
  assert.ok(texts.length > 60);
  for (const text of texts) assert.match(text, /^[A-Z](?!.*( {2}|, or [.,]))(.*\.|[\w :-]+ header)$/s);
  for (const { name, in: place, description } of described) if (place && name) assert.ok(description, String(name));
  const answers = described.filter(({ operationId }) => operationId)
    .flatMap(({ responses }) => Object.values(responses as Record<string, JsonObject>));
  for (const each of [...operations, ...Object.values(headers), ...answers]) {
    assert.ok(each["description"] ?? each["$ref"], JSON.stringify(each));
  }
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

test("the description has its title and licence, the tags of its operations in their groups, and the scheme of its key", () => {
  const { description, operations } = readWhole();
  const { info, tags, components } = description as Record<string, JsonObject>;
  assert.deepEqual([info!["title"], info!["license"]], ["Petstore", { name: "MIT", identifier: "MIT" }]);
  const names = (tags as unknown as JsonObject[]).map(({ name }) => name);
  assert.deepEqual(names, ["animals", "store"]);
  assert.deepEqual((description["x-tagGroups"] as JsonObject[]).map(({ tags }) => tags), [["animals"], ["store"]]);
  for (const { tags } of operations) assert.ok(names.includes((tags as string[])[0]!));
  const { type, scheme } = (components!["securitySchemes"] as Record<string, JsonObject>)["bearer"]!;
  assert.deepEqual([type, scheme], ["http", "bearer"]);
});
