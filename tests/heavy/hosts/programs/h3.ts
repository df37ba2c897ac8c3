import { createPetstore } from "@petstore/petstore";
import { H3, serve } from "h3";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

const app = new H3();
app.get("/hello", () => "Hello from the app");
app.all(`${BASE_PATH}/**`, ({ req }) => petstore.handle(req));

serve(app, { port: Number(PORT) });
