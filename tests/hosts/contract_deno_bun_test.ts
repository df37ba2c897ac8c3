/** The HTTP contract in the hosts on Deno and Bun. */

import { testContract } from "./driver/contract.ts";
import { NODE_24 } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

for (const host of HOSTS) if (host.runtime.name !== NODE_24.name) testContract(host);
