/** Checks every response that a test sees against the OpenAPI description: status, headers and body. */

import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json, JsonObject } from "../../lib/json_types.ts";
import { withAnyPathResponses } from "./any_path_responses.ts";

export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws if the description does not foresee this response to this request. */
export type ResponseValidator = (method: string, path: string, response: SeenResponse) => void;

/** Names the component that describes a response that any path may give. */
export type AnyPathRule = (response: SeenResponse) => string | undefined;

/** Set by the transport, or by the Fetch standard where cross-origin use is granted; info.description says so. */
const FOREIGN_HEADERS =
  /^(date|connection|keep-alive|transfer-encoding|content-length|content-type|vary|access-control-.*)$/;

/** The operation that answers a method. Methods are case-sensitive, and OPTIONS has no operation of its own. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ["HEAD", "get"],
  ...["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"].map((method) => [method, method.toLowerCase()] as const),
]);

const ID = "urn:petstore:openapi";

/** Makes a validator for a description. `basePath` is the path of its server; a path can have a server of its own. */
export function createResponseValidator(
  described: JsonObject,
  basePath: string,
  onAnyPath: AnyPathRule = () => undefined,
): ResponseValidator {
  const { description, ajv } = compile(described);

  return (method, path, response) => {
    const where = `${method} ${path} → ${response.status}`;
    const found = findResponse(description, basePath, method, path, response, onAnyPath);
    if (found === undefined) throw new Error(`${where}: not described`);
    const { pointer, definition } = found;
    checkHeaders(description, found, response, where, (pointer, value) => check(pointer, value, where));
    if (pointer.endsWith("/default")) return;
    const [described = null] = Object.keys(definition["content"] ?? {});
    const type = response.headers.get("content-type");
    if (type !== described) throw new Error(`${where}: Content-Type is ${type}`);
    if (type !== null && method !== "HEAD") {
      const value = type === "application/json" ? JSON.parse(response.text) : response.text;
      check(`${pointer}/content/${escape(type)}/schema`, value, where);
    } else if (response.text !== "") {
      throw new Error(`${where}: a body that is not described: ${response.text}`);
    }
  };

  function check(pointer: string, value: unknown, where: string): void {
    const validate = ajv.getSchema(`${ID}#${pointer}`);
    if (!validate) throw new Error(`${where}: no schema at ${pointer}`);
    if (!validate(value)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
  }
}

interface Compiled {
  description: JsonObject;
  ajv: Ajv2020.default;
}

/** By the text of the description: compiling one takes longer than most tests, and most tests have the same one. */
const compiled = new Map<string, Compiled>();

function compile(described: JsonObject): Compiled {
  const text = JSON.stringify(described);
  const known = compiled.get(text);
  if (known) return known;
  const description = withAnyPathResponses(JSON.parse(text));
  // Closed here, although the description leaves them open for later versions.
  const closed = structuredClone(description);
  for (const [name, schema] of Object.entries(at(closed, "components", "schemas"))) {
    if (/^Pet$|Error$/.test(name)) (schema as JsonObject)["additionalProperties"] = false;
  }
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed, ID);
  const made = { description, ajv };
  compiled.set(text, made);
  return made;
}

interface Found {
  pointer: string;
  definition: JsonObject;
}

function findResponse(
  description: JsonObject,
  basePath: string,
  method: string,
  path: string,
  seen: SeenResponse,
  onAnyPath: AnyPathRule,
): Found | undefined {
  const { status, headers } = seen;
  const paths = description["paths"] as Record<string, JsonObject>;
  const [template, item] =
    Object.entries(paths).find(([template, item]) => matches(basePathOf(item, basePath) + template, path)) ?? [];
  const verb = OPERATIONS.get(method);
  if (template !== undefined && verb !== undefined && item?.[verb] !== undefined) {
    const responses = at(item, verb, "responses");
    const key = [String(status), "default"].find((key) => Object.hasOwn(responses, key));
    return key === undefined ? undefined : resolve(description, `/paths/${escape(template)}/${verb}/responses/${key}`);
  }
  const component = onAnyPath(seen);
  if (component !== undefined) return resolve(description, `/components/responses/${component}`);
  // Without an operation: the key comes first, then the path, then the method.
  const [expected, name] = status === 401 && !isOpen(item)
    ? [401, "Unauthorized"]
    : headers.has("access-control-allow-methods")
    ? [204, "Preflight"]
    : item === undefined
    ? [404, "RouteNotFound"]
    : method === "OPTIONS"
    ? [204, "AllowedMethods"]
    : [405, "MethodNotAllowed"];
  return status === expected ? resolve(description, `/components/responses/${name}`) : undefined;
}

/** A path can have a server of its own. */
function basePathOf(item: JsonObject, basePath: string): string {
  const servers = item["servers"] as JsonObject[] | undefined;
  return servers === undefined ? basePath : String(servers[0]?.["url"]).replace(/\/$/, "");
}

function isOpen(item: JsonObject | undefined): boolean {
  return item !== undefined && (at(item, "get")["security"] as Json[] | undefined)?.length === 0;
}

function checkHeaders(
  description: JsonObject,
  { pointer: base, definition }: Found,
  { headers }: SeenResponse,
  where: string,
  check: (pointer: string, value: string) => void,
): void {
  const described = new Map(
    Object.entries(definition["headers"] ?? {}).map(([name, value]) => {
      const found = { pointer: `${base}/headers/${escape(name)}`, definition: value as JsonObject };
      return [name.toLowerCase(), found.definition["$ref"] ? resolveReference(description, found.definition) : found];
    }),
  );
  for (const [name] of headers) {
    if (!described.has(name) && !FOREIGN_HEADERS.test(name)) {
      throw new Error(`${where}: header ${name} is not described`);
    }
  }
  for (const [name, { pointer, definition }] of described) {
    const value = headers.get(name);
    if (value !== null) check(`${pointer}/schema`, value);
    else if (definition["required"]) throw new Error(`${where}: header ${name} is missing`);
  }
}

function resolve(description: JsonObject, pointer: string): Found {
  let value: Json | undefined = description;
  for (const part of pointer.slice(1).split("/")) {
    value = (value as JsonObject | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  if (value === undefined) throw new Error(`Not described: ${pointer}`);
  const reference = (value as JsonObject)["$ref"];
  return reference === undefined
    ? { pointer, definition: value as JsonObject }
    : resolveReference(description, value as JsonObject);
}

function resolveReference(description: JsonObject, reference: JsonObject): Found {
  return resolve(description, String(reference["$ref"]).slice(1));
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

function at(object: JsonObject, ...names: string[]): JsonObject {
  return names.reduce((value, name) => value[name] as JsonObject, object);
}

function escape(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
