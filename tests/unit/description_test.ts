/** The description: its operations, its failures, its numbers. tests/clients has linters, which find components that nothing uses. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { PRECONDITION_FAILED } from "../../lib/http/conditional.ts";
import type { JsonObject } from "../../lib/json_types.ts";
import { DESCRIBED_OPERATIONS, OPERATIONS } from "../../lib/operations/table.ts";
import { checkOptions } from "../../lib/petstore/checked_options.ts";
import { openApiOf } from "../support/descriptions.ts";

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
