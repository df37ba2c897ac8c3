/** Checks every response that a test sees against the OpenAPI description: status, headers and body. */

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

/** Names the component that describes a response that any path may give. */
type AnyPathRule = (response: SeenResponse) => string | undefined;

/** Set by the transport, or by the Fetch standard where cross-origin use is granted; info.description says so. */
const FOREIGN_HEADERS =
  /^(date|connection|keep-alive|transfer-encoding|content-length|content-type|vary|cache-control|access-control-.*)$/;

/** It does not depend on the operation: the description has it in words, if at all. */
const REQUEST_ID: JsonObject = { schema: { pattern: "^[!-~]{1,128}$" } };

const NO_SNIFF: JsonObject = { required: true, schema: { const: "nosniff" } };

/** What an app answers itself, with any headers and any body. */
const OF_THE_APP: JsonObject = {};

/** Makes a validator for a description. `basePath` is the path of its server. */
export function createResponseValidator(
  described: JsonObject,
  basePath: string,
  onAnyPath: AnyPathRule = () => undefined,
): ResponseValidator {
  const { description, findFault } = readDescription(described);
  const words = String((description["info"] as JsonObject)["description"]);
  const inWords = words.includes("`X-Request-Id`") ? { "X-Request-Id": REQUEST_ID } : {};

  return (method, path, response) => {
    const where = `${method} ${path} → ${response.status}`;
    const found = findResponse(description, basePath, method, path, response, onAnyPath);
    if (found === undefined) throw new Error(`${where}: not described`);
    if (found === OF_THE_APP) return;
    checkHeaders(found, response, where);
    const [[described, content] = [null]] = Object.entries(found["content"] ?? {});
    const type = response.headers.get("content-type");
    if (type !== described) throw new Error(`${where}: Content-Type is ${type}`);
    if (type !== null && method !== "HEAD") {
      check(withCodes(content), type === "application/json" ? JSON.parse(response.text) : response.text, where);
    } else if (response.text !== "") {
      throw new Error(`${where}: a body that is not described: ${response.text}`);
    }
  };

  function checkHeaders(response: JsonObject, { headers }: SeenResponse, where: string): void {
    const isJson = "application/json" in (response["content"] as object ?? {});
    const described = new Map(
      Object.entries({
        ...inWords,
        ...isJson && { "X-Content-Type-Options": NO_SNIFF },
        ...response["headers"] as object,
      })
        .map(([name, header]) => [name.toLowerCase(), follow(description, header as JsonObject)]),
    );
    for (const [name] of headers) {
      if (!described.has(name) && !FOREIGN_HEADERS.test(name)) {
        throw new Error(`${where}: header ${name} is not described`);
      }
    }
    for (const [name, header] of described) {
      const value = headers.get(name);
      if (value !== null) check(header, value, where);
      else if (header["required"]) throw new Error(`${where}: header ${name} is missing`);
    }
  }

  function check({ schema = {} }: JsonObject, value: unknown, where: string): void {
    const fault = findFault(schema as JsonObject, value);
    if (fault !== undefined) throw new Error(`${where}: ${fault}: ${JSON.stringify(value)}`);
  }
}

export interface Description {
  description: JsonObject;
  /** What is wrong with a value by a schema of the description. */
  findFault(schema: JsonObject, value: unknown): string | undefined;
}

/**
 * The compiled descriptions by their text. Compiling one takes longer than most tests, and most tests have the same
 * one.
 */
const known = new Map<string, Description>();

export function readDescription(described: JsonObject): Description {
  const text = JSON.stringify(described);
  const found = known.get(text) ?? prepare(JSON.parse(text));
  known.set(text, found);
  return found;
}

function prepare(description: JsonObject): Description {
  const { schemas, responses } = description["components"] as Record<string, JsonObject>;
  Object.assign(responses!, anyPathResponses(description));
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

/** The name of a response that comes before an operation is known. */
function nameWithoutOperation({ status, headers }: SeenResponse): string | undefined {
  if (status !== 204) return { 401: "Unauthorized", 404: "RouteNotFound", 405: "MethodNotAllowed" }[status];
  if (headers.has("access-control-allow-methods")) return "Preflight";
  return headers.has("allow") ? "AllowedMethods" : "RefusedPreflight";
}

function findResponse(
  description: JsonObject,
  basePath: string,
  method: string,
  path: string,
  seen: SeenResponse,
  onAnyPath: AnyPathRule,
): JsonObject | undefined {
  const paths = Object.entries(description["paths"] as Record<string, JsonObject>);
  const [, item] = paths.find(([template]) => matches(basePath + template, path)) ?? [];
  // Methods are case-sensitive, and OPTIONS has no operation of its own.
  const key = method === "HEAD" ? "get" : /^[A-Z]+$/.test(method) ? method.toLowerCase() : "";
  const operation = item?.[key] as JsonObject | undefined;
  const own = operation?.["responses"] as Record<string, JsonObject> | undefined;
  const component = onAnyPath(seen) ?? (operation ? undefined : nameWithoutOperation(seen));
  const found = component === undefined ? own?.[seen.status] : { $ref: `#/components/responses/${component}` };
  if (found === undefined) return own?.["default"] && OF_THE_APP;
  return withEnd(follow(description, found), description, operation);
}

/** A response that may come before the operation is known need not announce its end. */
function withEnd(response: JsonObject, description: JsonObject, operation: JsonObject | undefined): JsonObject {
  if (!operation?.["deprecated"]) return response;
  const { 200: found } = operation["responses"] as Record<string, JsonObject>;
  const told = ["Deprecation", "Sunset", "Link"].map((name) => {
    const header = follow(description, (found!["headers"] as Record<string, JsonObject>)[name]!);
    return [name, { ...header, required: false }];
  });
  return { ...response, headers: { ...Object.fromEntries(told), ...response["headers"] as object } };
}

/** What a reference leads to, or the thing itself. */
function follow(description: JsonObject, thing: JsonObject): JsonObject {
  if (typeof thing["$ref"] !== "string") return thing;
  const names = thing["$ref"].split("/").slice(1);
  const found = names.reduce<JsonObject | undefined>((value, name) => value?.[name] as JsonObject, description);
  if (found === undefined) throw new Error(`Not described: ${thing["$ref"]}`);
  return found;
}

function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split("/"), path.split("/")];
  return wanted.length === given.length &&
    wanted.every((part, i) => part.startsWith("{") ? given[i] !== "" : part === decode(given[i] ?? ""));
}

/** A segment that does not decode stands for itself. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const ALLOW: JsonObject = { Allow: { required: true, schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" } } };

/** The headers of a path whose operations are all deprecated. The HTTP contract has where they are. */
const DEPRECATED: JsonObject = Object.fromEntries(["Deprecation", "Sunset", "Link"].map((name) => [name, {}]));

const RETRY_AFTER: JsonObject = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

/** Of the standalone server, before the operation is known. */
const REFUSALS: Record<string, JsonObject> = {
  InvalidHead: failure(400, ["invalid_host", "bad_request"], {}),
  RequestTimeout: failure(408, ["request_timeout"], {}),
  HeadTooLarge: failure(431, ["head_too_large"], {}),
  ServerUnavailable: failure(503, ["store_unavailable"], RETRY_AFTER),
};

/** Responses that any path may give, by name. They belong to no operation, so the description has them in words. Those to preflights are there if the description speaks of them, and refusals of a server if it is its. */
function anyPathResponses(description: JsonObject): Record<string, JsonObject> {
  const text = JSON.stringify(description);
  return {
    RouteNotFound: failure(404, ["route_not_found"], {}),
    MethodNotAllowed: failure(405, ["method_not_allowed"], { ...ALLOW, ...DEPRECATED }),
    AllowedMethods: { headers: { ...ALLOW, ...DEPRECATED } },
    RefusedPreflight: {},
    ...(text.includes("Preflights") && { Preflight: {} }),
    ...(text.includes("invalid_host") && REFUSALS),
  };
}

function failure(status: number, codes: string[], headers: JsonObject): JsonObject {
  const properties = { code: { enum: codes }, status: { const: status } };
  const schema = { $ref: "#/components/schemas/Error", properties };
  return { headers, content: { "application/json": { schema } } };
}
