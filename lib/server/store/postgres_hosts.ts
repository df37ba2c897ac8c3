/**
 * Chooses one of several hosts, as libpq does: the first that responds and has the required state. But all are queried
 * at once: a silent one delays nothing, and a primary that was paused may still report that it is one.
 */

import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { sqlState } from "../../stores/postgres/client/errors.ts";
import { securityFor } from "./postgres_options.ts";
import { type Address, describeAddress, openSocket, timeoutError } from "./postgres_socket.ts";
import type { PostgresTarget } from "./postgres_url.ts";

export interface ServerState {
  acceptsWrites: boolean;
  /** Of a primary: it grows with each failover. 0 if unknown. */
  timeline: number;
}

interface HostResult {
  address: Address;
  state?: ServerState;
  error?: Error;
}

/** For the hosts that have not answered when one fits, in milliseconds. */
const OTHERS_TIMEOUT = 250;

/**
 * @param readState Logs in over a socket, reads the state and logs out.
 * @throws {SettingError} If a certificate cannot be read.
 */
export function createHosts(target: PostgresTarget, readState: (socket: Socket) => Promise<ServerState>) {
  const security = securityFor(target), timeoutMs = target.connectTimeout * 1000;
  const required = target.targetSessionAttrs;
  const open = (address: Address) => openSocket(address, security, timeoutMs);
  let choosing: Promise<Address> | undefined;

  /** Chooses anew for each connection, but those that are opened at the same time share one search. */
  function choose(): Promise<Address> {
    return choosing ??= search().finally(() => choosing = undefined);
  }

  async function search(): Promise<Address> {
    const hosts = (await Promise.all(target.hosts.map(lookUp))).flat();
    const [only] = hosts;
    // The state of a single address does not matter. The login shows whether it works.
    if (only && hosts.length === 1 && !only.error && required === "any") return only.address;
    const results = await queryAll(hosts);
    const fitting = results.filter(fits);
    // Of two primaries, the one that was promoted last; of others, the first in the setting.
    const [best] = fitting.toSorted((a, b) => required === "any" ? 0 : b.state!.timeline - a.state!.timeline);
    if (best) return best.address;
    const failures = results.map(({ address, error }) =>
      error ?? new Error(`${describeAddress(address)} does not match target_session_attrs=${required}`)
    );
    // As in libpq, an error from a server, such as a wrong password, is the reason. Not of class 57P, with which it starts or stops.
    const refusal = failures.find((error) => sqlState(error)?.startsWith("57P") === false);
    if (refusal) throw refusal;
    throw failures.length === 1 ? failures[0] : new Error(failures.map(describe).join("; "), { cause: failures[0] });
  }

  async function queryAll(hosts: readonly HostResult[]): Promise<HostResult[]> {
    const results: HostResult[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const queries = hosts.map(async (host, i) => {
      const result = results[i] = host.error ? host : await query(host.address);
      if (fits(result)) timer ??= setTimeout(resolve, OTHERS_TIMEOUT);
    });
    Promise.all(queries).then(() => resolve());
    await promise;
    clearTimeout(timer);
    // Without the places of those that have not answered.
    return results.flat();
  }

  async function query(address: Address): Promise<HostResult> {
    let socket: Socket | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const opened = socket = await open(address);
      if (timeoutMs > 0) timer = setTimeout(() => opened.destroy(timeoutError(address, timeoutMs)), timeoutMs);
      return { address, state: await readState(opened) };
    } catch (error) {
      return { address, error: error as Error };
    } finally {
      clearTimeout(timer);
      socket?.destroy();
    }
  }

  /** By libpq's target_session_attrs: `any` or `read-write`. */
  function fits({ state }: HostResult): boolean {
    return state !== undefined && (required === "any" || state.acceptsWrites);
  }

  /** Both throw if no host fits. */
  return { choose, dial: async () => await open(await choose()) };
}

/** The addresses of a name, or the reason why it has none. */
async function lookUp({ name, port }: { name: string; port: number }): Promise<HostResult[]> {
  const itself = { name, port, address: name };
  if (isIP(name) !== 0) return [{ address: itself }];
  try {
    return (await lookup(name, { all: true })).map(({ address }) => ({ address: { name, port, address } }));
  } catch (error) {
    // If the permission covers only one port of the host, Deno allows connecting to the name, but not looking it up.
    return [{ address: itself, ...(error as { code?: string }).code !== "EPERM" && { error: error as Error } }];
  }
}

function describe({ message, code }: Error & { code?: string }): string {
  return message || code || "unknown error";
}
