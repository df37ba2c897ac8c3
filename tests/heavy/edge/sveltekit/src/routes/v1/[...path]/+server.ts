import { createPetstore, type Petstore } from "@petstore/petstore";

let petstore: Petstore | undefined;

function answer({ request }: { request: Request }): Promise<Response> {
  const { PETSTORE_KEYS = "" } = process.env;
  // Made at the first request, because the build also loads this file and should not need the keys.
  petstore ??= createPetstore({ keys: PETSTORE_KEYS.split(","), basePath: "/v1" });
  return petstore.handle(request);
}

// `fallback` alone would leave HEAD and OPTIONS to SvelteKit.
export { answer as fallback, answer as GET, answer as HEAD, answer as OPTIONS, answer as POST };

// The petstore answers a slash at the end with 404. Without this line, SvelteKit would redirect.
export const trailingSlash = "ignore";
