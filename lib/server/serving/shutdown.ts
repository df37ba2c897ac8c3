/** How a server ends, from the signal to the last closed connection. */

import { resolvesWithin, sleep } from "../../promises.ts";
import type { Report } from "../process/writers.ts";
import type { DrainGate } from "./drain_gate.ts";
import type { Listener } from "../process/runtime.ts";

/** The time limit for requests in flight, in milliseconds after the signal. */
const DRAIN_TIMEOUT_MS = 6_000;

/**
 * The time limit for clients that read their last responses, in milliseconds after the signal.
 * Container runtimes kill a process after 10 seconds, and the store has to be closed before.
 */
const END_TIMEOUT_MS = 7_500;

/**
 * How long requests are held before the socket closes, in milliseconds: longer than a client needs
 * to send its next request.
 */
const HOLD_TIME_MS = 250;

/** How many timers make up the hold. */
const HOLD_STEPS = 10;

/** The parts of a server that end. */
export interface EndingServer {
  gate: Pick<DrainGate, "refuse" | "hold">;
  listener: Listener;
  report: Report;
}

/**
 * Ends a server without the loss of a request. Call this when the signal comes, because the time
 * limits begin then. The steps:
 *
 * 1. Later requests are refused, while those in flight are answered. This comes before the listener
 *    stops, because afterwards Deno delivers no more of an incomplete body (denoland/deno#36809).
 * 2. Requests are held. A client that waits for a response sends nothing else and opens no
 *    connection. So when all active clients wait, no request is on its way that a closed socket
 *    would lose.
 * 3. The listener stops: it closes its socket, and waits for its connections.
 * 4. The requests that are held are refused, because they keep their connections open. Clients read
 *    their last responses.
 *
 * @param holdTimeMs How long step 2 takes.
 */
export async function shutDown(
  { gate, listener, report }: EndingServer,
  holdTimeMs = HOLD_TIME_MS,
): Promise<void> {
  const endAt = performance.now() + END_TIMEOUT_MS;
  // Step 1.
  await resolvesWithin(DRAIN_TIMEOUT_MS, gate.refuse());
  // Step 2.
  const releaseHeld = gate.hold();
  await sleepInSteps(holdTimeMs);
  // Step 3.
  const allClosed = listener.stop();
  // Step 4.
  releaseHeld();
  // The wait has a limit, because a client may never finish its request. After the limit, the
  // process ends with the connection open.
  if (!await resolvesWithin(endAt - performance.now(), allClosed)) {
    report("stopped before all clients had finished their requests");
  }
}

/**
 * Sleeps by several timers, because a container may be paused meanwhile. When it goes on, a single
 * timer would be over before the process has read the requests that wait in its socket. With
 * several, it reads them between two timers.
 */
async function sleepInSteps(ms: number): Promise<void> {
  for (let step = 0; step < HOLD_STEPS; step++) await sleep(ms / HOLD_STEPS);
}
