import { testHttpContract } from "../contract/contracts.ts";
import type { Handle, Host } from "../support/api.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { MEMORY } from "../support/stores.ts";

/**
 * Sends on a new connection: after a body that was not read to its end, a host may close the
 * connection that was used.
 */
const ALONE = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
const sendAlone: Handle = (request) => fetch(request, { redirect: "manual", client: ALONE });

const DENO_SERVE: Host = {
  name: "Deno.serve",
  use: (handle, run) => withDenoServe(handle, (port) => run(`http://127.0.0.1:${port}`, sendAlone)),
};

testHttpContract(DENO_SERVE, [MEMORY]);
