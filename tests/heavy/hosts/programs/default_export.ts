/** A petstore alone: a program for `deno serve` and `bun`, and a Worker. */

import { createPetstore } from "@petstore/petstore";

export default createPetstore({ keys: ["pk_example"] });
