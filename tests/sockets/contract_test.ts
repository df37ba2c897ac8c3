import { testHttpContract } from "../contract/http.ts";
import { DENO_SERVE } from "../support/http/deno_serve.ts";

testHttpContract(DENO_SERVE);
