/** The HTTP contract through a real `Deno.serve` and a real socket. */

import { testHttpContract } from "../contract/http.ts";
import type { Host } from "../support/api.ts";

const DENO_SERVE: Host = {
  name: "Deno.serve",
  use: async (handle, run) => {
    const abort = new AbortController();
    const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: abort.signal };
    const server = Deno.serve(options, handle);
    try {
      return await run(`http://127.0.0.1:${server.addr.port}`, fetch);
    } finally {
      // Not shutdown(): that would wait for the client whose body never ends.
      abort.abort();
      await server.finished;
    }
  },
};

testHttpContract(DENO_SERVE);
