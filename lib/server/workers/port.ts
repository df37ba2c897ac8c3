/** Makes sure that a port which the workers are going to share is free. */

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { showAddress } from "../address.ts";
import { explained } from "../deno/listener.ts";
import type { Address } from "../host.ts";
import { isPermitted } from "../process.ts";

/** How long to wait for another server that is starting at the port, and between two tries, in milliseconds. */
const PATIENCE = 10_000, RETRY_DELAY = 50;

/** A free port. Dispose of it when the workers listen. */
export interface ReservedPort extends Disposable {
  /** The address that the workers must use. A name can stand for several, of which another server may have one. */
  hostname: string;
  /** The actual port, if the setting is 0. */
  port: number;
}

/**
 * Reserves a port. Sockets that share a port do not notice each other, so the workers would share it with another server
 * in silence. A socket that does not share notices any other. Two servers that start at once could both find the port free,
 * so each holds the UDP port of the same number meanwhile.
 *
 * @throws {SettingError} If it is in use.
 */
export async function reservePort(address: Address): Promise<ReservedPort> {
  const { hostname, port } = requireFree(address);
  const lock = await holdUdp(address.hostname, hostname.includes(":"), port);
  try {
    requireFree({ ...address, port });
  } catch (error) {
    lock?.close();
    throw error;
  }
  // The permission may be for the name alone.
  const given = isPermitted({ name: "net", host: showAddress({ hostname, port }) }) ? hostname : address.hostname;
  return { hostname: given, port, [Symbol.dispose]: () => void lock?.close() };
}

/** The address that a socket gets which does not share it. */
function requireFree(address: Address): Deno.NetAddr {
  const { hostname, port } = address;
  using socket = explained(() => Deno.listen({ hostname, port }), address);
  return socket.addr as Deno.NetAddr;
}

/** `undefined` if another program has this UDP port for a purpose of its own. */
async function holdUdp(hostname: string, isIpv6: boolean, port: number): Promise<Socket | undefined> {
  for (const giveUpAt = performance.now() + PATIENCE; performance.now() < giveUpAt;) {
    const socket = createSocket({ type: isIpv6 ? "udp6" : "udp4", reuseAddr: false });
    try {
      socket.bind({ address: hostname, port, exclusive: true });
      await once(socket, "listening");
      return socket;
    } catch {
      socket.close();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
  }
  return undefined;
}
