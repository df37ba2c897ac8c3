import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { formatAddress } from "../process/lines.ts";
import { checkMessages } from "./postgres_messages.ts";

export interface Address {
  /** As in the setting; the certificate must contain it. */
  name: string;
  address: string;
  port: number;
}

export interface Security {
  mode: "never" | "if offered" | "always";
  checks: ConnectionOptions;
}

/** PostgreSQL's SSLRequest. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** With TLS if required. The time limit includes it; 0 for the system's own. */
export async function openSocket(address: Address, { mode, checks }: Security, timeoutMs: number): Promise<Socket> {
  const plain = connectTcp({ host: address.address, port: address.port });
  let socket: Socket = plain;
  const timer = timeoutMs === 0 ? undefined : setTimeout(() => {
    const error = timeoutError(address, timeoutMs);
    plain.destroy(error);
    socket.destroy(error);
  }, timeoutMs);
  try {
    await once(plain, "connect");
    if (mode !== "never" && await offersTls(plain, address)) {
      // The certificate must name this host, not any other of the setting. SNI allows no IP addresses.
      const servername = isIP(address.name) === 0 ? { servername: address.name } : {};
      socket = connectTls({ socket: plain, host: address.name, ...servername, ...checks });
      await once(socket, "secureConnect");
    } else if (mode === "always") {
      throw new Error(`${describeAddress(address)} does not support TLS, which sslmode requires`);
    }
    return checkMessages(socket);
  } catch (error) {
    plain.destroy();
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export function describeAddress({ name, address, port }: Address): string {
  return formatAddress({ hostname: name, port }) + (name === address ? "" : ` (${address})`);
}

export function timeoutError(address: Address, timeoutMs: number): Error {
  return new Error(`${describeAddress(address)} has not answered within ${timeoutMs} ms`);
}

/** For the server to close a connection that this side has ended, in milliseconds. */
const CLOSE_TIMEOUT = 2000;

/**
 * Closes a connection soon after the driver has ended it, even if the server does not respond. `onBreak` is called when
 * the server closes it, or it fails.
 */
export function watchSocket(socket: Socket, onBreak: () => void): Socket {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEndedHere = false;
  const { end } = socket;
  socket.end = ((...rest: Parameters<Socket["end"]>) => {
    // When the server has ended its side, the runtime ends this one.
    isEndedHere ||= !socket.readableEnded;
    timer ??= setTimeout(() => socket.destroy(), CLOSE_TIMEOUT);
    return end.apply(socket, rest);
  }) as Socket["end"];
  // A socket closes later than it reports its error, and statements may come in between.
  socket.once("error", onBreak);
  socket.once("close", () => {
    clearTimeout(timer);
    if (!isEndedHere) onBreak();
  });
  return socket;
}

/**
 * If no socket opens, returns one that fails on the first write: after an exception, the driver would lose a place in
 * its pool for good.
 */
export async function dialForDriver(dial: () => Promise<Socket>): Promise<Duplex> {
  try {
    return await dial();
  } catch (error) {
    return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error as Error) });
  }
}

async function offersTls(socket: Socket, address: Address): Promise<boolean> {
  socket.write(TLS_REQUEST);
  const reply = String(await once(socket, "data"));
  // Further bytes may come from an attacker, and would later count as encrypted data (CVE-2021-23222).
  if (reply === "S") return true;
  if (reply === "N") return false;
  throw new Error(`${describeAddress(address)} does not answer as a PostgreSQL server does`);
}

/** Unlike `once` of node:events, rejects if the socket closes first. */
function once(socket: Socket, event: "connect" | "secureConnect" | "data"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (result: () => void) => {
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      result();
    };
    const onEvent = (value: unknown) => settle(() => resolve(value));
    const onError = (error: Error) => settle(() => reject(error));
    const onClose = () => settle(() => reject(new Error("The connection was closed before the login")));
    socket.on(event, onEvent).on("error", onError).on("close", onClose);
  });
}
