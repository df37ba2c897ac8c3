/** Checks the responses that a test sees against the OpenAPI description: status, headers and body. */

import assert from "node:assert/strict";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json, JsonObject } from "../../lib/operations/json_types.ts";

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Throws if the description does not foresee this response to this request. The result is the id of
 * the operation, if the request has reached one.
 */
export type ResponseValidator = (method: string, path: string, response: SeenResponse) => string | undefined;

/**
 * Set by the transport, or by the Fetch standard where cross-origin use is granted, or on responses
 * of any operation; info.description says so.
 */
const FOREIGN_HEADERS = new RegExp(
  "^(date|connection|keep-alive|transfer-encoding|content-length|content-type|vary|cache-control|access-control-.*|" +
    "x-request-id|x-content-type-options|deprecation|sunset|link)$",
);

/** What a description says of a response. */
interface Described {
  headers?: Record<string, { required: boolean; schema: JsonObject }>;
  content?: Record<string, { schema: JsonObject; examples?: Record<string, { value: JsonObject }> }>;
}

interface Operation {
  operationId: string;
  responses: Record<string, Described>;
}

/** Makes a validator for a description. `basePath` is the path of its server. */
export function createResponseValidator(described: JsonObject, basePath: string): ResponseValidator {
  const { description, findFault } = readDescription(described);
  const paths = Object.entries(description["paths"] as unknown as Record<string, Record<string, Operation>>)
    .map(([template, item]) => ({ path: new RegExp(`^${basePath}${template.replace(/\{\w+\}/, "[^/]+")}$`), item }));

  return (method, path, response) => {
    const where = `${method} ${path} → ${response.status}`;
    assertError(response, where);
    const item = paths.find((each) => each.path.test(path))?.item ?? {};
    const operation = Object.entries(item).find(([name]) => name.toUpperCase() === (method === "HEAD" ? "GET" : method))
      ?.[1];
    if (!operation) return undefined;
    const { operationId, responses } = operation;
    const found = responses[response.status];
    // An app answers store orders itself, with any headers and any body.
    if (!found && responses["default"]) return operationId;
    assert.ok(found, `${where}: not described`);
    checkHeaders(found, response, where);
    checkBody(found, response, method === "HEAD", where);
    return operationId;
  };

  function checkHeaders({ headers = {} }: Described, response: SeenResponse, where: string): void {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    for (const [name] of response.headers) {
      assert.ok(names.includes(name) || FOREIGN_HEADERS.test(name), `${where}: header ${name} is not described`);
    }
    for (const [name, { required, schema }] of Object.entries(headers)) {
      const value = response.headers.get(name);
      assert.ok(value !== null || !required, `${where}: header ${name} is missing`);
      if (value !== null) assert.equal(findFault(schema, value), undefined, `${where}: ${name}: ${value}`);
    }
  }

  function checkBody(
    { content = {} }: Described,
    { headers, text }: SeenResponse,
    isHead: boolean,
    where: string,
  ): void {
    const [[type, { schema, examples }] = [null, { schema: {} }]] = Object.entries(content);
    assert.equal(headers.get("content-type"), type, where);
    if (type === null || isHead) return assert.equal(text, "", where);
    const body = JSON.parse(text);
    assert.equal(findFault(schema, body), undefined, `${where}: ${text}`);
    // The description leaves the codes open for later versions, but has an example of each.
    const codes = Object.values(examples ?? {}).map(({ value }) => value["code"]);
    if (examples) assert.ok(codes.includes(body.code), `${where}: ${body.code} is no code of an example`);
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
  /** The description without references: the thing itself stands in place of each. */
  description: JsonObject;
  /** What is wrong with a value by a schema of the description. */
  findFault(schema: JsonObject, value: unknown): string | undefined;
}

/** The descriptions by their text: compiling one takes longer than most tests, and most tests have the same one. */
const known = new Map<string, Description>();

export function readDescription(described: JsonObject): Description {
  const text = JSON.stringify(described);
  const found = known.get(text) ?? prepare(JSON.parse(text));
  known.set(text, found);
  return found;
}

function prepare(root: JsonObject): Description {
  const { schemas } = root["components"] as Record<string, Record<string, JsonObject>>;
  // Closed here, although the description leaves them open for later versions.
  for (const name of ["Pet", "Error"]) schemas![name]!["additionalProperties"] = false;
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return {
    description: resolve(root, root) as JsonObject,
    findFault: (schema, value) => ajv.validate(schema, value) ? undefined : ajv.errorsText(),
  };
}

/** A copy of a part of the description, in which each reference is replaced by what it leads to. */
function resolve(part: Json, root: JsonObject): Json {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((each) => resolve(each, root));
  const { $ref, ...members } = part;
  const names = typeof $ref === "string" ? $ref.split("/").slice(1) : [];
  const target = names.reduce<JsonObject>((value, name) => value[name] as JsonObject, $ref === undefined ? {} : root);
  const own = Object.fromEntries(Object.entries(members).map(([name, each]) => [name, resolve(each, root)]));
  return $ref === undefined ? own : { ...resolve(target, root) as JsonObject, ...own };
}
