import { createPetstore } from "@petstore/petstore";

let petstore;

function answer({ request }) {
  // On the first request, because the build loads this file too and should not need the keys.
  petstore ??= createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// `fallback` alone would leave HEAD and OPTIONS to SvelteKit.
export { answer as fallback, answer as GET, answer as HEAD, answer as OPTIONS, answer as POST };

// A slash at the end is 404 for the petstore; SvelteKit would redirect.
export const trailingSlash = "ignore";
