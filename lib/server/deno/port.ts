/** Reserves the port that the workers share. */

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { formatAddress } from "../process/lines.ts";
import { explainBindErrors } from "./listener.ts";
import type { Address } from "../http/listener.ts";
import { isPermitted } from "../process/process.ts";

/** How long to wait for another server that is starting at the port, and between two tries, in milliseconds. */
const LOCK_TIMEOUT = 10_000, RETRY_DELAY = 50;

/**
 * Reserves a port. Sockets that share a port do not notice each other, so the workers would share it with another server
 * without an error. A socket that does not share fails if there is any other. Two servers that start at once could both find the
 * port free, so each locks the UDP port of the same number meanwhile.
 *
 * @returns The address that the workers must use, with the actual port. A name can stand for several, of which another server
 * may have one. Dispose of it when the workers listen.
 * @throws {SettingError} If it is in use.
 */
export async function reservePort(address: Address): Promise<Address & Disposable> {
  const { hostname, port } = requireFree(address);
  const lock = await lockUdpPort(address.hostname, hostname.includes(":"), port);
  try {
    requireFree({ ...address, port });
  } catch (error) {
    lock?.close();
    throw error;
  }
  // The permission may be for the name alone.
  const permitted = isPermitted({ name: "net", host: formatAddress({ hostname, port }) }) ? hostname : address.hostname;
  return { hostname: permitted, port, [Symbol.dispose]: () => void lock?.close() };
}

/** The address of a socket that does not share its port. */
function requireFree(address: Address): Deno.NetAddr {
  const { hostname, port } = address;
  using socket = explainBindErrors(() => Deno.listen({ hostname, port }), address);
  return socket.addr as Deno.NetAddr;
}

/** `undefined` if another program keeps using this UDP port. */
async function lockUdpPort(hostname: string, isIpv6: boolean, port: number): Promise<Socket | undefined> {
  for (const deadline = performance.now() + LOCK_TIMEOUT; performance.now() < deadline;) {
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
