import { createPetstore } from "@petstore/petstore";

let petstore;

function answer(request) {
  // With the first request: the build loads this file too, and should not need the keys.
  petstore ??= createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// A method that is not exported, Next.js answers by itself and without an Error body.
export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
