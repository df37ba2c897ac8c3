import { createPetstore } from "@petstore/petstore";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

const server = Bun.serve({
  port: Number(PORT),
  idleTimeout: 30, // seconds; Bun would hang up after 10, before the petstore answers 408 after 15
  routes: {
    "/hello": () => new Response("Hello from the app"),
    [`${BASE_PATH}/*`]: petstore.handle,
  },
  fetch: () => new Response("Not found", { status: 404 }),
});

console.log(`Listening on ${server.url}`);
