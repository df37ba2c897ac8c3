/** How a server ends, from the signal to the last closed connection. */

import { resolvesWithin, sleep } from "../../promises.ts";
import type { Report } from "../process/writers.ts";
import type { DrainGate } from "../service/drain_gate.ts";
import type { Listener } from "../service/listener.ts";

/** The time limit for requests in flight, in milliseconds after the signal. */
const DRAIN_TIMEOUT_MS = 6_000;

/**
 * The time limit for clients that read their last responses, in milliseconds after the signal. Container runtimes kill a process after 10
 * seconds, and the store has to be closed before.
 */
const END_TIMEOUT_MS = 7_500;

/**
 * How long requests are held before the socket closes, in milliseconds. This is longer than a client needs to read a response and send its
 * next request. So each active client then waits for a response, and no request is on its way that the closed socket would lose.
 */
const HOLD_TIME_MS = 250;

/** How many timers make up the hold. */
const HOLD_STEPS = 10;

/** The parts of a server that end. */
export interface EndingServer {
  gate: Pick<DrainGate, "refuse" | "hold" | "refuseHeld">;
  listener: Listener;
  report: Report;
}

/**
 * Ends a server without the loss of a request: those in flight are answered, later ones get 503, and clients read their last responses. Call
 * this when the signal comes, because the time limits begin then.
 *
 * @param holdTimeMs How long requests are held before the socket closes.
 * @param endTimeoutMs The time limit for the whole end.
 */
export async function shutDown(
  { gate, listener, report }: EndingServer,
  holdTimeMs = HOLD_TIME_MS,
  endTimeoutMs = END_TIMEOUT_MS,
): Promise<void> {
  const endAt = performance.now() + endTimeoutMs;
  // The gate refuses requests before the listener stops, because afterwards Deno delivers no more of an incomplete body
  // (denoland/deno#36809).
  await resolvesWithin(DRAIN_TIMEOUT_MS, gate.refuse());
  gate.hold();
  // A container may be paused meanwhile. When it goes on, a single timer would be over before the process has read the requests that wait in
  // its socket. With several, it reads them between two timers.
  for (let step = 0; step < HOLD_STEPS; step++) await sleep(holdTimeMs / HOLD_STEPS);
  // The requests that are held keep their connections open, so they are refused before the wait for the connections.
  const allClosed = listener.stop();
  gate.refuseHeld();
  // The wait has a limit, because a client may never finish its request. After the limit, the process ends with the connection open.
  if (!await resolvesWithin(endAt - performance.now(), allClosed)) {
    report("stopped before all clients had finished their requests");
  }
}
