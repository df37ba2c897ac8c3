import { IN_WORKERS } from "./platform.ts";

/** A time limit is divided into at least this many ticks of the timer. A deadline expires up to one tick late. */
const MIN_TICKS = 8;

/** The longest tick, in milliseconds. A longer time limit is divided into more ticks. */
const LONGEST_TICK_MS = 1000;

/** How late a timer may be on a busy machine before it counts as lost, in milliseconds. */
const MAX_DELAY_MS = 1000;

/** Begins a deadline, after which `expire` is called. The returned function ends it. */
export type BeginDeadline = (expire: () => void) => () => void;

/**
 * Creates a source of deadlines. For speed, one timer that ticks serves all of them, in place of a
 * timer for each.
 *
 * @param lengthMs The time until a deadline, in milliseconds. It is the same for all, so they
 * expire in the order in which they began.
 */
export function createDeadlines(lengthMs: number): BeginDeadline {
  // On Workers, a timer ends with the request that has set it, so each deadline has its own.
  if (IN_WORKERS) {
    return (expire) => {
      const timer = setTimeout(expire, lengthMs);
      return () => clearTimeout(timer);
    };
  }
  const tickMs = Math.min(lengthMs / MIN_TICKS, LONGEST_TICK_MS);
  /**
   * The deadlines that run, in the order in which they began and expire, each with its time as in
   * `performance.now()`.
   */
  const running = new Map<() => void, number>();
  /** The timer of the next tick. It is undefined while no deadline runs. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer counts as lost: a host that suspends an isolate may drop its timers. */
  let timerLostAt = 0;

  function setTimer(now: number): void {
    // A timer that counts as lost may fire after all.
    clearTimeout(timer);
    timer = setTimeout(onTick, tickMs);
    timerLostAt = now + 2 * tickMs + MAX_DELAY_MS;
  }

  function onTick(): void {
    const now = performance.now();
    for (const [expire, dueAt] of running) {
      if (dueAt > now) break;
      running.delete(expire);
      expire();
    }
    timer = undefined;
    if (running.size > 0) setTimer(now);
  }

  return (expire) => {
    const now = performance.now();
    if (timer === undefined || now > timerLostAt) setTimer(now);
    running.set(expire, now + lengthMs);
    return () => running.delete(expire);
  };
}
