/** A pool of postgres.js clients with one connection each, so that no connection is used again after it has failed. */

import type { Socket } from "node:net";
import type { PostgresJsClient } from "../../stores/postgres/postgres_store.ts";
import { dialForDriver, watchSocket } from "./postgres_socket.ts";

export type DriverClient = PostgresJsClient & Required<Pick<PostgresJsClient, "end">>;

/** Creates a client. */
export type Connect = (settings: Record<string, unknown>) => DriverClient;

/** The pause after a connection that did not even log in, in milliseconds. */
const RETRY_DELAY = 200;

/** A client with one connection. */
interface Member {
  client: DriverClient;
  /** How many statements it runs. */
  running: number;
  /** Whether it has answered a statement. */
  hasAnswered: boolean;
  isBroken: boolean;
  socket?: Socket;
}

/**
 * In postgres.js 3.4.9, a connection that failed and opens again gives the error of its last statement to the next one, may keep bytes
 * that it had not sent, and may wait for a response that never comes. So its client goes with it.
 */
export function createPool(size: number, connect: Connect, dial: () => Promise<Socket>): DriverClient {
  const members = new Set<Member>();
  let isEnded = false, failedAt = -Infinity;

  function drop(member: Member): void {
    if (!member.hasAnswered) failedAt = performance.now();
    member.isBroken = true;
    members.delete(member);
    member.client.end({ timeout: 0 });
  }

  async function open(member: Member): Promise<Socket> {
    const { socket } = member;
    // The driver sends a cancellation over a connection of its own, which the server then closes.
    if (socket && !socket.destroyed) return watchSocket(await dial(), () => {});
    try {
      const pause = failedAt + RETRY_DELAY - performance.now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      if (member.isBroken) throw new Error("The connection was lost");
      member.socket = await dial();
    } catch (error) {
      drop(member);
      throw error;
    }
    return watchSocket(member.socket, () => drop(member));
  }

  function add(): Member {
    const socket = () => dialForDriver(() => open(member));
    const member: Member = { client: connect({ max: 1, socket }), running: 0, hasAnswered: false, isBroken: false };
    members.add(member);
    if (isEnded) drop(member);
    return member;
  }

  function choose(): Member {
    const [least] = [...members].sort((one, other) => one.running - other.running);
    return least && (least.running === 0 || members.size >= size) ? least : add();
  }

  return {
    options: { max: size },
    unsafe(text, parameters, options) {
      const member = choose();
      const query = member.client.unsafe(text, parameters, options);
      member.running++;
      const settle = (hasAnswered: boolean) => {
        member.running--;
        member.hasAnswered ||= hasAnswered;
      };
      // The driver's own then() would send it before the caller has said how to read its rows.
      Promise.prototype.then.call(query, () => settle(true), () => settle(false));
      return query;
    },
    async end(options) {
      isEnded = true;
      await Promise.all([...members].map(({ client }) => client.end(options)));
    },
  };
}
