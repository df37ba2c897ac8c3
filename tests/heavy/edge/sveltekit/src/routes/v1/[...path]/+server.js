import { createPetstore } from "@petstore/petstore";

let petstore;

function answer({ request }) {
  // Made at the first request, because the build also loads this file and should not need the keys.
  petstore ??= createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// `fallback` alone would leave HEAD and OPTIONS to SvelteKit.
export { answer as fallback, answer as GET, answer as HEAD, answer as OPTIONS, answer as POST };

// The petstore answers a slash at the end with 404. Without this line, SvelteKit would redirect.
export const trailingSlash = "ignore";
