import { app } from "@azure/functions";
import process from "node:process";
import { createPetstore } from "@petstore/petstore";

const { BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

app.http("hello", { route: "hello", handler: () => ({ body: "Hello from the app" }) });
app.http("petstore", {
  route: `${BASE_PATH}/{*path}`.slice(1),
  methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  handler: (request) => petstore.handle(request as unknown as Request),
});
