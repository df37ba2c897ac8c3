/** A Worker whose app answers the request for orders. */

import { createPetstore } from "@petstore/petstore";

const headers: [string, string][] = [["set-cookie", "a=1"], ["set-cookie", "b=2"]];

export default createPetstore({ keys: ["pk_example"], handleStoreOrders: () => new Response("[]", { headers }) });
