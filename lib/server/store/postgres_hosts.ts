/** Which of several hosts is used: the first, in the order of the setting, that answers and is what is asked for. */

import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { sqlState } from "../../stores/postgres/client/errors.ts";
import { type Address, openSocket, type Security, show } from "./postgres_socket.ts";

/** What a server says of itself. */
export interface ServerState {
  isStandby: boolean;
  isReadOnly: boolean;
}

/** What is looked for, and how. */
export interface Search {
  hosts: readonly { name: string; port: number }[];
  security: Security;
  /** For each address, in milliseconds; 0 for no limit. */
  patience: number;
  /** As libpq names it. */
  session: string;
  /** Logs in over a socket, asks and logs out. */
  ask(dial: () => Promise<Socket>): Promise<ServerState>;
}

/** For how long it is believed that a server is still what was asked for, in milliseconds. */
const BELIEVED = 1000;

/** Connects to the host that is used, and finds another when it is not what it was. */
export class Hosts {
  readonly #search: Search;
  #used: Address | undefined;
  #askedAt = -Infinity;
  #searching: Promise<void> | undefined;

  /** @param search What is looked for. */
  constructor(search: Search) {
    this.#search = search;
  }

  /**
   * Connects.
   *
   * @throws {Error} If no host will do.
   */
  async dial(): Promise<Socket> {
    if (this.#used && this.#isBelieved()) {
      try {
        return await this.#open(this.#used);
      } catch {
        this.#used = undefined;
      }
    }
    await this.choose();
    const address = this.#used;
    if (!address) throw new Error("The host was lost again");
    return await this.#open(address);
  }

  /**
   * Looks for the host to use.
   *
   * @throws {Error} If none will do.
   */
  choose(): Promise<void> {
    // However many connections are wanted, one search is enough.
    return this.#searching ??= this.#find().finally(() => this.#searching = undefined);
  }

  /** Has the next connection look for the host again: one to it has broken. */
  doubt(): void {
    this.#used = undefined;
  }

  #isBelieved(): boolean {
    return this.#search.session === "any" || performance.now() - this.#askedAt < BELIEVED;
  }

  #open(address: Address): Promise<Socket> {
    return openSocket(address, this.#search.security, this.#search.patience);
  }

  async #find(): Promise<void> {
    const { session } = this.#search;
    const reasons: Error[] = [];
    const candidates = await this.#resolve(reasons);
    // There is no choice, and the login will tell the rest.
    if (candidates.length === 1 && reasons.length === 0 && session === "any") return this.#use(candidates[0]);
    let second: Address | undefined;
    for (const address of candidates) {
      try {
        if (fits(await this.#ask(address), session)) return this.#use(address);
        if (session === "prefer-standby") second ??= address;
        else reasons.push(new Error(`${show(address)} is not what target_session_attrs=${session} asks for`));
      } catch (error) {
        // As libpq has it: who has answered has decided, unless it only starts or stops.
        if (sqlState(error)?.startsWith("57P") === false) throw error;
        reasons.push(error as Error);
      }
    }
    if (second) return this.#use(second);
    throw reasons.length === 1 ? reasons[0] : new Error(reasons.map(describe).join("; "), { cause: reasons[0] });
  }

  #use(address: Address | undefined): void {
    this.#used = address;
    this.#askedAt = performance.now();
  }

  /** All addresses of all hosts, in the order of the setting. */
  async #resolve(reasons: Error[]): Promise<Address[]> {
    const all: Address[] = [];
    for (const { name, port } of this.#search.hosts) {
      try {
        for (const address of await addressesOf(name)) all.push({ name, port, address });
      } catch (error) {
        reasons.push(error as Error);
      }
    }
    return all;
  }

  /** Asks a server what it is, which shows that it answers, too. */
  async #ask(address: Address): Promise<ServerState> {
    const { ask, patience } = this.#search;
    const sockets: Socket[] = [];
    const late = new Error(`${show(address)} has not answered within ${patience} ms`);
    const timer = patience === 0 ? undefined : setTimeout(() => {
      for (const socket of sockets) socket.destroy(late);
    }, patience);
    try {
      return await ask(async () => {
        const socket = await this.#open(address);
        sockets.push(socket);
        return socket;
      });
    } finally {
      clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    }
  }
}

async function addressesOf(name: string): Promise<string[]> {
  if (isIP(name) !== 0) return [name];
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch (error) {
    // Deno lets nobody look up a name who may use but one of its ports. Connecting to the name finds an address, too.
    if ((error as { code?: string }).code === "EPERM") return [name];
    throw error;
  }
}

/** As libpq has it. */
function fits({ isStandby, isReadOnly }: ServerState, session: string): boolean {
  if (session === "read-write") return !isStandby && !isReadOnly;
  if (session === "read-only") return isStandby || isReadOnly;
  if (session === "primary") return !isStandby;
  return session === "any" || isStandby;
}

function describe({ message, code }: Error & { code?: string }): string {
  return message || code || "unknown";
}
