import { createPetstore } from "@petstore/petstore";

let petstore;

function answer(request) {
  // On the first request, because the build loads this file too and should not need the keys.
  petstore ??= createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// Next.js itself answers a method that is not exported, without an Error body.
export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
