import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import Koa from "koa";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

const app = new Koa();
app.use(async (context, next) => {
  if (context.path === "/hello") context.body = "Hello from the app";
  else if (context.url.startsWith(`${BASE_PATH}/`)) {
    context.respond = false; // the petstore answers
    servePetstore(context.req, context.res);
  } else await next();
});

const server = app.listen(Number(PORT), () => console.log("Listening on", server.address()));
