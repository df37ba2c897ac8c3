import { createPetstore } from "@petstore/petstore";

const petstore = createPetstore({ keys: process.env.PETSTORE_KEYS.split(","), basePath: "/v1" });

export const ALL = ({ request }) => petstore.handle(request);
