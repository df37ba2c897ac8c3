import { testHttpContract } from "../contract/contracts.ts";
import { DENO_SERVE } from "../support/http/deno_serve.ts";
import { MEMORY } from "../support/stores.ts";

testHttpContract(DENO_SERVE, [MEMORY]);
