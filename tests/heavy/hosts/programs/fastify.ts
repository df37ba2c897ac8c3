import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import fastify from "fastify";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

const app = fastify();
app.get("/hello", () => "Hello from the app");
app.register((scope, _options, done) => {
  scope.addHook("onRequest", (request, reply) => {
    reply.hijack(); // before Fastify reads the body
    servePetstore(request.raw, reply.raw);
  });
  scope.all("/*", () => {});
  done();
}, { prefix: BASE_PATH });

console.log(`Listening on ${await app.listen({ port: Number(PORT) })}`);
