/** A connection to one address of a PostgreSQL, with TLS where that is wanted, up to where the login begins. */

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";

/** Where a host is. */
export interface Address {
  /** As the setting has it, and as a certificate must have it. */
  name: string;
  address: string;
  port: number;
}

/** What is asked of TLS. */
export interface Security {
  /** Whether it is asked for, and whether the connection goes on without it. */
  mode: "never" | "if offered" | "always";
  /** How a certificate is checked. */
  checks: ConnectionOptions;
}

/** A message of the length 8 that asks whether the server has TLS. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Connects.
 *
 * @param patience How long all of it may take, in milliseconds; 0 for as long as the system tries.
 */
export async function openSocket(address: Address, { mode, checks }: Security, patience: number): Promise<Socket> {
  const plain = connectTcp({ host: address.address, port: address.port });
  let open = plain;
  const timer = patience === 0 ? undefined : setTimeout(() => {
    const late = new Error(`${show(address)} has not answered within ${patience} ms`);
    plain.destroy(late);
    open.destroy(late);
  }, patience);
  try {
    await happens(plain, "connect");
    if (mode !== "never" && await hasTls(plain, address)) {
      // The name is checked against the host that this connection goes to, however many there are.
      const servername = isIP(address.name) === 0 ? { servername: address.name } : {};
      open = connectTls({ socket: plain, host: address.name, ...servername, ...checks });
      await happens(open, "secureConnect");
    } else if (mode === "always") {
      throw new Error(`${show(address)} does not support TLS, which sslmode asks for`);
    }
    return open;
  } catch (error) {
    plain.destroy();
    open.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** As it is shown to an operator. */
export function show({ name, address, port }: Address): string {
  const host = (text: string) => text.includes(":") ? `[${text}]` : text;
  return `${host(name)}:${port}${name === address ? "" : ` (${address})`}`;
}

/** How long the other end may take to close a connection that we have ended, in milliseconds. */
const CLOSING = 2000;

/** What a request to cancel a statement has in the place of a login: 16 bytes, and this number from the fifth on. */
const CANCEL = 80_877_102;

/**
 * Has a connection closed soon after it was ended, whatever the other end does.
 *
 * @param onBreak Told when it has closed without having been ended, unless it was there to cancel a statement.
 */
export function watchSocket(socket: Socket, onBreak: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCancelling = false;
  const { end, write } = socket;
  socket.write = ((chunk: Uint8Array, ...rest: []) => {
    isCancelling = chunk.length === 16 && Buffer.from(chunk).readInt32BE(4) === CANCEL;
    // Only the first tells.
    socket.write = write;
    return socket.write(chunk, ...rest);
  }) as Socket["write"];
  socket.end = ((...rest: Parameters<Socket["end"]>) => {
    timer ??= setTimeout(() => socket.destroy(), CLOSING);
    return end.apply(socket, rest);
  }) as Socket["end"];
  socket.once("close", () => {
    clearTimeout(timer);
    if (timer === undefined && !isCancelling) onBreak();
  });
}

/**
 * A socket, or one that fails as soon as it is used. The driver does not expect that a socket cannot be had: the place in
 * its pool would be lost for good.
 */
export async function orFailing(dial: () => Promise<Socket>): Promise<Duplex> {
  try {
    return await dial();
  } catch (error) {
    return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error as Error) });
  }
}

async function hasTls(socket: Socket, address: Address): Promise<boolean> {
  socket.write(TLS_REQUEST);
  const answer = await happens(socket, "data") as Uint8Array;
  // Anything behind the first byte was put there by somebody between, to be taken for what came encrypted.
  if (answer.length === 1 && answer[0] === 83) return true;
  if (answer.length === 1 && answer[0] === 78) return false;
  throw new Error(`${show(address)} does not answer as PostgreSQL does`);
}

/** Resolves with what comes with an event, and rejects when the socket fails or closes before. */
function happens(socket: Socket, event: "connect" | "secureConnect" | "data"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (end: () => void) => {
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      end();
    };
    const onEvent = (value: unknown) => done(() => resolve(value));
    const onError = (error: Error) => done(() => reject(error));
    const onClose = () => done(() => reject(new Error("The connection was closed before the login")));
    socket.on(event, onEvent).on("error", onError).on("close", onClose);
  });
}
