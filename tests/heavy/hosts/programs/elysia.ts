import { createPetstore } from "@petstore/petstore";
import { Elysia } from "elysia";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

const app = new Elysia()
  .get("/hello", "Hello from the app")
  .all(`${BASE_PATH}/*`, ({ request }) => petstore.handle(request), { parse: "none" })
  .listen(Number(PORT));

console.log(`Listening on ${app.server?.url}`);
