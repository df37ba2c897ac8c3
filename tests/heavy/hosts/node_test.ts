/** The hosts on Node. In a file of its own, so that two processes share the work. */

import { testHost } from "./driver/host_tests.ts";
import { NODE_24 } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

for (const host of HOSTS) if (host.runtime.name === NODE_24.name) testHost(host);
