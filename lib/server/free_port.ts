/** Offers a free port in place of one that is in use. */

import { once } from "node:events";
import { createServer } from "node:net";
import { formatAddress } from "./process/address.ts";
import type { Address } from "./serving/runtime.ts";
import { isPermitted } from "./process/process.ts";
import { PortInUseError, UnreachableError } from "./process/start_error.ts";

/** How many ports are tried. */
const MAX_TRIES = 20;

/**
 * Waits for a start. If its port is in use, the error names the next free port and the flag for it.
 *
 * @param flag The flag that sets the port.
 */
export async function suggestFreePort<T>(
  flag: "--port" | "--metrics",
  address: Address,
  started: Promise<T>,
): Promise<T> {
  try {
    return await started;
  } catch (error) {
    if (!(error instanceof PortInUseError)) throw error;
    const free = await findFreePort(address);
    if (!free) throw new UnreachableError(`${error.message}; choose another with ${flag}`);
    const value = flag === "--port" ? free.port : formatAddress(free);
    throw new UnreachableError(`${error.message}; port ${free.port} is free: add ${flag} ${value}`);
  }
}

/** The next free port at this host. `undefined` if all those tried are in use, or the server may not listen there. */
async function findFreePort({ hostname, port }: Address): Promise<Address | undefined> {
  for (let next = port + 1; next <= Math.min(port + MAX_TRIES, 65535); next++) {
    const address = { hostname, port: next };
    // Without the permission, Deno would prompt for it at the terminal.
    if (!isPermitted({ name: "net", host: formatAddress(address) })) return undefined;
    if (await isFree(address)) return address;
  }
  return undefined;
}

/** Listens for a moment, which is the only reliable test. */
async function isFree({ hostname, port }: Address): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, hostname), "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
