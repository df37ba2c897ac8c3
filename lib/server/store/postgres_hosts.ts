/**
 * Chooses one of several hosts, as libpq does: the first that responds and has the required state. But all are queried
 * at once: a silent one delays nothing, and a primary that was paused may still report that it is one.
 */

import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { sqlState } from "../../stores/postgres/client/errors.ts";
import { securityFor } from "./postgres_options.ts";
import { type Address, describeAddress, openSocket, type Security, timeoutError } from "./postgres_socket.ts";
import type { PostgresTarget } from "./postgres_url.ts";

export interface ServerState {
  isStandby: boolean;
  isReadOnly: boolean;
  /** Of a primary: it grows with each failover. 0 if unknown. */
  timeline: number;
}

interface HostResult {
  address: Address;
  state?: ServerState;
  error?: unknown;
}

/** Logs in over a socket, reads the state and logs out. */
type ReadState = (socket: Socket) => Promise<ServerState>;

const STATE_LIFETIME = 1000;

const OTHERS_TIMEOUT = 250;

/** Chooses again when the chosen host no longer fits. */
export class Hosts {
  readonly #target: PostgresTarget;
  readonly #security: Security;
  readonly #readState: ReadState;
  #chosen: Address | undefined;
  #chosenAt = -Infinity;
  #choosing: Promise<void> | undefined;

  /** @throws {SettingError} If a certificate cannot be read. */
  constructor(target: PostgresTarget, readState: ReadState) {
    this.#target = target;
    this.#security = securityFor(target);
    this.#readState = readState;
  }

  get #timeoutMs(): number {
    return this.#target.connectTimeout * 1000;
  }

  /** @throws {Error} If no host fits. */
  async dial(): Promise<Socket> {
    if (this.#chosen && this.#isCurrent()) {
      try {
        return await this.#open(this.#chosen);
      } catch {
        this.#chosen = undefined;
      }
    }
    await this.choose();
    const address = this.#chosen;
    if (!address) throw new Error("The connection to the chosen host has just broken");
    return await this.#open(address);
  }

  /** Connections that are opened at the same time share one search. */
  choose(): Promise<void> {
    return this.#choosing ??= this.#search().finally(() => this.#choosing = undefined);
  }

  forget(): void {
    this.#chosen = undefined;
  }

  #isCurrent(): boolean {
    return this.#target.targetSessionAttrs === "any" || performance.now() - this.#chosenAt < STATE_LIFETIME;
  }

  #open(address: Address): Promise<Socket> {
    return openSocket(address, this.#security, this.#timeoutMs);
  }

  async #search(): Promise<void> {
    const required = this.#target.targetSessionAttrs;
    const { addresses, failures } = await this.#resolve();
    // The state of a single address does not matter. The login shows whether it works.
    if (addresses.length === 1 && failures.length === 0 && required === "any") return this.#select(addresses[0]);
    const results = await this.#queryAll(addresses);
    let best: HostResult | undefined, secondChoice: Address | undefined;
    for (const result of results) {
      const { address, state, error } = result;
      if (state && hasState(state, required)) best = isBetter(result, best, required) ? result : best;
      else if (state && required === "prefer-standby") secondChoice ??= address;
      else if (state) {
        failures.push(new Error(`${describeAddress(address)} does not match target_session_attrs=${required}`));
      } // As in libpq, an error from a server, such as a wrong password, ends the search. The exception is class 57P, which
      // means that the server is starting or stopping.
      else if (sqlState(error)?.startsWith("57P") === false && !best) throw error;
      else failures.push(error as Error);
    }
    const chosen = best?.address ?? secondChoice;
    if (chosen) return this.#select(chosen);
    throw failures.length === 1 ? failures[0] : new Error(failures.map(describe).join("; "), { cause: failures[0] });
  }

  async #queryAll(addresses: readonly Address[]): Promise<HostResult[]> {
    const results: (HostResult | undefined)[] = addresses.map(() => undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      const queries = addresses.map(async (address, i) => {
        const { state } = results[i] = await this.#query(address).then(
          (state): HostResult => ({ address, state }),
          (error): HostResult => ({ address, error }),
        );
        if (state && hasState(state, this.#target.targetSessionAttrs)) timer ??= setTimeout(resolve, OTHERS_TIMEOUT);
      });
      Promise.all(queries).then(() => resolve());
    });
    clearTimeout(timer);
    return results.filter((result) => result !== undefined);
  }

  #select(address: Address | undefined): void {
    this.#chosen = address;
    this.#chosenAt = performance.now();
  }

  async #resolve(): Promise<{ addresses: Address[]; failures: Error[] }> {
    const addresses: Address[] = [];
    const failures: Error[] = [];
    for (const { name, port } of this.#target.hosts) {
      try {
        for (const address of await lookUp(name)) addresses.push({ name, port, address });
      } catch (error) {
        failures.push(error as Error);
      }
    }
    return { addresses, failures };
  }

  async #query(address: Address): Promise<ServerState> {
    const timeoutMs = this.#timeoutMs;
    const socket = await this.#open(address);
    const timer = timeoutMs === 0 ? undefined : setTimeout(() => {
      socket.destroy(timeoutError(address, timeoutMs));
    }, timeoutMs);
    try {
      return await this.#readState(socket);
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  }
}

async function lookUp(name: string): Promise<string[]> {
  if (isIP(name) !== 0) return [name];
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    // If the permission covers only one port of the host, Deno allows connecting to the name, but not looking it up.
    if ((error as { code?: string }).code === "EPERM") return [name];
    throw error;
  }
}

/** Whether a state matches libpq's target_session_attrs; for prefer-standby, whether it is the first choice. */
function hasState({ isStandby, isReadOnly }: ServerState, required: string): boolean {
  if (required === "read-write") return !isStandby && !isReadOnly;
  if (required === "read-only") return isStandby || isReadOnly;
  if (required === "primary") return !isStandby;
  return required === "any" || isStandby;
}

/** Of two primaries, the one that was promoted last. If the state does not matter, the first in the setting. */
function isBetter({ state }: HostResult, best: HostResult | undefined, required: string): boolean {
  return best?.state === undefined || (required !== "any" && state!.timeline > best.state.timeline);
}

function describe({ message, code }: Error & { code?: string }): string {
  return message || code || "unknown error";
}
