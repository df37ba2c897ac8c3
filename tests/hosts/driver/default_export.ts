/** A petstore alone: a program for `deno serve` and `bun`, and a Worker. */

import { createPetstore, createRateLimit } from "@petstore/petstore";

export default createPetstore({ keys: ["pk_example"], rateLimit: createRateLimit({ requests: 2, windowMs: 60_000 }) });
