import { createPetstore } from "@petstore/petstore";

const { handle } = createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });

// Next.js answers a method that has no export by itself, without an Error body.
export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT };
