import { createServer } from "node:http";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

const server = createServer((request, response) => {
  const { url = "/" } = request;
  if (url === "/hello") return response.end("Hello from the app");
  if (url.startsWith(`${BASE_PATH}/`)) return servePetstore(request, response);
  response.writeHead(404).end("Not found");
});

server.listen(Number(PORT), () => console.log("Listening on", server.address()));
