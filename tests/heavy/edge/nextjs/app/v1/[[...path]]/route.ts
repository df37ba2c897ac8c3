import { createPetstore, type Petstore } from "@petstore/petstore";

let petstore: Petstore | undefined;

function answer(request: Request): Promise<Response> {
  const { PETSTORE_KEYS = "" } = process.env;
  // Made at the first request, because the build also loads this file and should not need the keys.
  petstore ??= createPetstore({ keys: PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// Next.js itself answers the methods that are not exported, without an Error body.
export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};
