/** Holds every response that a test sees against the OpenAPI description: its status, its headers, its body. */

import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Json, JsonObject } from "../../mod.ts";

/** A response as a test sees it. */
export interface SeenResponse {
  status: number;
  headers: Headers;
  text: string;
}

/** Throws if the description does not foresee this answer to this request. */
export type ResponseValidator = (method: string, path: string, response: SeenResponse) => void;

/** Set by the transport, or by the Fetch standard where cross-origin use is granted; info.description says so. */
const FOREIGN_HEADERS =
  /^(date|connection|keep-alive|transfer-encoding|content-length|content-type|vary|access-control-.*)$/;

const ID = "urn:petstore:openapi";

/** Makes a validator for a description. `basePath` is the path of its server. */
export function createResponseValidator(description: JsonObject, basePath: string): ResponseValidator {
  // Closed, though the description leaves them open for later: today nothing else may be sent.
  const closed = structuredClone(description);
  for (const name of ["Pet", "Error"]) at(closed, "components", "schemas", name)["additionalProperties"] = false;
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed, ID);

  return (method, path, response) => {
    const { pointer, definition } = findResponse(description, basePath, method, path, response);
    const where = `${method} ${path} → ${response.status}`;
    checkHeaders(description, definition, response, where, (pointer, value) => check(pointer, value, where));
    if (pointer.endsWith("/default")) return;
    if (method === "HEAD" || definition["content"] === undefined) {
      if (response.text !== "") throw new Error(`${where}: a body that is not described: ${response.text}`);
      return;
    }
    if (response.headers.get("content-type") !== "application/json") {
      throw new Error(`${where}: Content-Type is ${response.headers.get("content-type")}`);
    }
    check(`${pointer}/content/application~1json/schema`, JSON.parse(response.text), where);
  };

  function check(pointer: string, value: unknown, where: string): void {
    const validate = ajv.getSchema(`${ID}#${pointer}`);
    if (!validate) throw new Error(`${where}: no schema at ${pointer}`);
    if (!validate(value)) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
  }
}

interface Found {
  /** JSON pointer to the response's definition. */
  pointer: string;
  definition: JsonObject;
}

function findResponse(
  description: JsonObject,
  basePath: string,
  method: string,
  path: string,
  seen: SeenResponse,
): Found {
  const paths = description["paths"] as JsonObject;
  const template = Object.keys(paths).find((template) => matches(basePath + template, path));
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  if (template !== undefined && Object.hasOwn(at(paths, template), verb)) {
    const responses = at(paths, template, verb, "responses");
    const status = Object.hasOwn(responses, String(seen.status)) ? seen.status : "default";
    return resolve(description, `/paths/${escape(template)}/${verb}/responses/${status}`);
  }
  // What has no operation: the key comes first, then the path, then the method.
  const [status, name] = seen.status === 401
    ? [401, "Unauthorized"]
    : seen.headers.has("access-control-allow-methods")
    ? [204, "Preflight"]
    : template === undefined
    ? [404, "RouteNotFound"]
    : method === "OPTIONS"
    ? [204, "AllowedMethods"]
    : [405, "MethodNotAllowed"];
  if (seen.status !== status) throw new Error(`${method} ${path} → ${seen.status}: not described`);
  return resolve(description, `/components/responses/${name}`);
}

function checkHeaders(
  description: JsonObject,
  definition: JsonObject,
  { headers }: SeenResponse,
  where: string,
  check: (pointer: string, value: string) => void,
): void {
  const described = new Map(
    Object.entries(definition["headers"] ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const [name] of headers) {
    // The deprecation of a path is carried by all its answers, those to unknown methods too.
    const isDeprecation = where.includes("/pets/") && ["deprecation", "sunset", "link"].includes(name);
    if (!described.has(name) && !FOREIGN_HEADERS.test(name) && !isDeprecation) {
      throw new Error(`${where}: header ${name} is not described`);
    }
  }
  for (const [name, reference] of described) {
    const { pointer, definition } = resolveReference(description, reference as JsonObject);
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

function decode(segment: string): string {
  return /%(?![0-9A-F]{2})/i.test(segment) ? segment : decodeURIComponent(segment);
}

function at(object: JsonObject, ...names: string[]): JsonObject {
  return names.reduce((value, name) => value[name] as JsonObject, object);
}

function escape(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
