import { createPetstore } from "@petstore/petstore";
import { createNodeListener } from "@petstore/petstore/node";

const petstore = createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });
const servePetstore = createNodeListener(petstore);

// The third parameter tells h3 to wait for the end of the response.
export default fromNodeMiddleware((request, response, _next) => servePetstore(request, response));
