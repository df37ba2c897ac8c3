import Hapi from "@hapi/hapi";
import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";
import process from "node:process";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });
const servePetstore = createNodeListener(petstore);

const server = Hapi.server({ port: Number(PORT) });
server.route({ method: "GET", path: "/hello", handler: () => "Hello from the app" });
server.route({
  method: "*",
  path: `${BASE_PATH}/{path*}`,
  options: {
    state: { parse: false },
    ext: {
      onPreAuth: { // before Hapi reads the body
        method({ raw }, toolkit) {
          servePetstore(raw.req, raw.res);
          return toolkit.abandon;
        },
      },
    },
  },
  handler: (_request, toolkit) => toolkit.abandon,
});

await server.start();
console.log(`Listening on ${server.info.uri}`);
