import type { IncomingMessage, ServerResponse } from "node:http";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import serverless from "serverless-http";

const { BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

export const handler = serverless((request: IncomingMessage, response: ServerResponse) => {
  const { url = "/" } = request;
  if (url === "/hello") return response.end("Hello from the app");
  if (url.startsWith(`${BASE_PATH}/`)) return servePetstore(request, response);
  response.statusCode = 404;
  response.end("Not found");
});
