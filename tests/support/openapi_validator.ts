/** Checks the responses that a test sees against the OpenAPI description: status, headers and body. */

import assert from "node:assert/strict";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonObject } from "../../lib/operations/json_types.ts";

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws if the description does not foresee this response to this request. */
export type ResponseValidator = (method: string, path: string, response: SeenResponse) => void;

/**
 * Set by the transport, or by the Fetch standard where cross-origin use is granted, or on responses of any operation; info.description
 * says so.
 */
const FOREIGN_HEADERS = new RegExp(
  "^(date|connection|keep-alive|transfer-encoding|content-length|content-type|vary|cache-control|access-control-.*|" +
    "x-request-id|x-content-type-options|deprecation|sunset|link)$",
);

/** Makes a validator for a description. `basePath` is the path of its server. */
export function createResponseValidator(described: JsonObject, basePath: string): ResponseValidator {
  const { description, findFault } = readDescription(described);
  const paths = Object.entries(description["paths"] as Record<string, JsonObject>);

  return (method, path, response) => {
    const where = `${method} ${path} → ${response.status}`;
    const [, item] = paths.find(([template]) => matches(basePath + template, path)) ?? [];
    const operation = item?.[method === "HEAD" ? "get" : /^[A-Z]+$/.test(method) ? method.toLowerCase() : ""];
    if (!operation) return assertError(response, where);
    const { responses } = operation as { responses: Record<string, JsonObject> };
    const found = responses[response.status];
    // An app answers store orders itself, with any headers and any body.
    if (!found && responses["default"]) return;
    assert.ok(found, `${where}: not described`);
    const { headers = {}, content = {} } = follow(description, found) as Record<string, JsonObject>;
    checkHeaders(headers, response, where);
    const [[type, schemas] = [null, {}]] = Object.entries(content);
    assert.equal(response.headers.get("content-type"), type, where);
    if (type === null || method === "HEAD") return assert.equal(response.text, "", where);
    check(withCodes(schemas as JsonObject), JSON.parse(response.text), where);
    assertError(response, where);
  };

  function checkHeaders(headers: JsonObject, response: SeenResponse, where: string): void {
    const described = new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), follow(description, header as JsonObject)]),
    );
    for (const [name] of response.headers) {
      assert.ok(described.has(name) || FOREIGN_HEADERS.test(name), `${where}: header ${name} is not described`);
    }
    for (const [name, header] of described) {
      const value = response.headers.get(name);
      if (value !== null) check(header, value, `${where}: ${name}`);
      else assert.ok(!header["required"], `${where}: header ${name} is missing`);
    }
  }

  function check({ schema = {} }: JsonObject, value: unknown, where: string): void {
    const fault = findFault(schema as JsonObject, value);
    assert.equal(fault, undefined, `${where}: ${fault}: ${JSON.stringify(value)}`);
  }
}

/** Throws if a failure does not have the one format of all errors. The response to HEAD has no body. */
export function assertError({ status, headers, text }: SeenResponse, where = ""): void {
  if (status < 400 || text === "") return;
  const types = [headers.get("content-type"), headers.get("x-content-type-options")];
  assert.deepEqual(types, ["application/json", "nosniff"], where);
  const { code, message, ...rest } = JSON.parse(text);
  assert.deepEqual([typeof code, typeof message, rest], ["string", "string", { status }], where);
}

export interface Description {
  description: JsonObject;
  /** What is wrong with a value by a schema of the description. */
  findFault(schema: JsonObject, value: unknown): string | undefined;
}

/** The compiled descriptions by their text: compiling one takes longer than most tests, and most tests have the same one. */
const known = new Map<string, Description>();

export function readDescription(described: JsonObject): Description {
  const text = JSON.stringify(described);
  const found = known.get(text) ?? prepare(JSON.parse(text));
  known.set(text, found);
  return found;
}

function prepare(description: JsonObject): Description {
  const { schemas } = description["components"] as Record<string, JsonObject>;
  // Closed here, although the description leaves them open for later versions.
  for (const [name, schema] of Object.entries(schemas!)) {
    if (/^Pet$|Error$/.test(name)) (schema as JsonObject)["additionalProperties"] = false;
  }
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const compiled = new Map<JsonObject, Ajv2020.ValidateFunction>();
  return {
    description,
    findFault(schema, value) {
      // The schema is compiled with those that it may refer to.
      const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
      compiled.set(schema, validate);
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}

const closed = new WeakMap<JsonObject, JsonObject>();

/** The content of a failure, whose code must be one of its examples, although the description leaves it open for later versions. */
function withCodes(content: JsonObject): JsonObject {
  const { schema, examples } = content as { schema?: JsonObject; examples?: Record<string, { value: JsonObject }> };
  if (!schema || !examples) return content;
  const codes = Object.values(examples).map(({ value }) => value["code"]!);
  const found = closed.get(content) ?? { schema: { allOf: [schema, { properties: { code: { enum: codes } } }] } };
  closed.set(content, found);
  return found;
}

/** What a reference leads to, or the thing itself. */
function follow(description: JsonObject, thing: JsonObject): JsonObject {
  if (typeof thing["$ref"] !== "string") return thing;
  const names = thing["$ref"].split("/").slice(1);
  return names.reduce<JsonObject>((value, name) => value[name] as JsonObject, description);
}

function matches(template: string, path: string): boolean {
  const segments = template.split("/");
  const given = path.split("/");
  const isMatch = (segment: string, i: number) => segment.startsWith("{") ? given[i] !== "" : segment === given[i];
  return segments.length === given.length && segments.every(isMatch);
}
