/** How a server ends, from the signal to the last closed connection. */

import { resolvesWithin, sleep } from "../../promises.ts";
import type { DrainGate } from "../service/drain_gate.ts";
import type { Listener } from "../service/listener.ts";

/** The time limit for requests in flight, in milliseconds after the signal. */
const DRAIN_TIMEOUT_MS = 6_000;

/**
 * The time limit for clients that read their last responses, in milliseconds after the signal, or after a start has failed. Container
 * runtimes kill a process after 10 seconds, and the store has to be closed before.
 */
const END_TIMEOUT_MS = 7_500;

/**
 * How long requests are held before the socket closes, in milliseconds. This is longer than a client needs to read a response and send its
 * next request. So each active client then waits for a response, and no request is on its way that the closed socket would lose.
 */
export const HOLD_TIME_MS = 250;

/** The parts of a server that end. */
export interface EndingServer {
  /** First it refuses new requests, then it holds them, and at the end it refuses those that it holds. */
  gate: Pick<DrainGate, "refuse" | "hold" | "end">;
  /** It closes the socket by `stop()`, and waits for the connections by `finish()`. */
  listener: Pick<Listener, "stop" | "finish">;
}

/**
 * Ends a server without the loss of a request: those in flight are answered, later ones get 503, and clients read their last responses. Call
 * this when the signal comes, because the time limits begin then.
 *
 * @param holdTimeMs How long requests are held before the socket closes.
 */
export async function drainAndClose({ gate, listener }: EndingServer, holdTimeMs: number): Promise<void> {
  const endAt = performance.now() + END_TIMEOUT_MS;
  // The gate refuses requests before the listener stops, because afterwards Deno delivers no more of an incomplete body
  // (denoland/deno#36809).
  await resolvesWithin(DRAIN_TIMEOUT_MS, gate.refuse());
  gate.hold();
  await holdFor(holdTimeMs);
  await closeSocket({ gate, listener }, endAt - performance.now());
}

/** How many timers make up the hold. */
const HOLD_STEPS = 10;

/**
 * Waits as long as requests are held. A container may be paused meanwhile. When it goes on, a single timer would be over before the process
 * has read the requests that wait in its socket. With several, it reads them between two timers.
 */
async function holdFor(timeMs: number): Promise<void> {
  for (let step = 0; step < HOLD_STEPS; step++) await sleep(timeMs / HOLD_STEPS);
}

/**
 * Closes the socket, and lets clients read the responses that are on their way.
 *
 * @param timeoutMs The longest wait for clients.
 */
export async function closeSocket({ gate, listener }: EndingServer, timeoutMs = END_TIMEOUT_MS): Promise<void> {
  // The stop is not awaited, because the requests that are held keep their connections open until they are refused.
  void listener.stop();
  gate.end();
  await listener.finish(timeoutMs);
}
