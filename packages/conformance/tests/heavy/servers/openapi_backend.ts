/** A petstore with openapi-backend: the description routes, checks and authenticates, and the handlers keep pets in an array. */

import addFormats from "ajv-formats";
import { type Context, OpenAPIBackend } from "openapi-backend";

type Pet = Record<string, unknown>;

const [document = "", port = "", key = ""] = Deno.args;
const pets: Pet[] = [];

function fail(status: number, code: string, message: string): Response {
  return Response.json({ code, message, status }, { status });
}

const api = new OpenAPIBackend({
  definition: document,
  apiRoot: "/v1",
  // It takes descriptions of OpenAPI 3.1, and checks them by the schema of 3.0.
  quick: true,
  // The description has members that only tools read.
  ajvOpts: { strict: false },
  coerceTypes: true,
  customizeAjv: (ajv) => addFormats.default(ajv),
  handlers: {
    listPets: ({ request: { query } }: Context) => {
      const found = pets.filter(({ status }) => query["status"] === undefined || status === query["status"]);
      return Response.json(found.slice(0, Number(query["limit"] ?? 20)));
    },
    createPet: ({ request: { requestBody } }: Context) => {
      const { name, categoryId, status = "available" } = requestBody as Pet;
      pets.push({ id: pets.length + 1, name, categoryId, status });
      return Response.json(pets.at(-1), { status: 201 });
    },
    getPet: ({ request: { params } }: Context) => {
      const pet = pets[Number(params["petId"]) - 1];
      return pet ? Response.json(pet) : fail(404, "pet_not_found", "There is no such pet");
    },
    validationFail: ({ validation }: Context) => fail(400, "invalid_request", JSON.stringify(validation.errors)),
    unauthorizedHandler: () => fail(401, "invalid_api_key", "A valid API key is required"),
    notFound: () => fail(404, "route_not_found", "There is no such path"),
    methodNotAllowed: () => fail(405, "method_not_allowed", "The path does not have this method"),
  },
});
api.registerSecurityHandler("bearer", ({ request }) => request.headers["authorization"] === `Bearer ${key}`);
await api.init();

Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, async (request) => {
  const { pathname, search } = new URL(request.url);
  const { method } = request;
  const headers = Object.fromEntries(request.headers);
  try {
    return await api.handleRequest({
      method,
      path: pathname,
      query: search.slice(1),
      headers,
      body: await request.text(),
    });
  } catch {
    return fail(500, "internal_error", "An internal error occurred");
  }
});
