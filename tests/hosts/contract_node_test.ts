/** The HTTP contract in the hosts on Node. Apart from the others, so that two processes share the work. */

import { testContract } from "./driver/contract.ts";
import { NODE_24 } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

for (const host of HOSTS) if (host.runtime === NODE_24) testContract(host);
