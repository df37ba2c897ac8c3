/** A time limit is divided into at least this many ticks of the timer. */
const MIN_TICKS = 8;

/** The longest tick, in milliseconds. A longer time limit is divided into more ticks. */
const LONGEST_TICK_MS = 1000;

/** How late a timer may be on a busy machine before it counts as lost, in milliseconds. */
const MAX_DELAY_MS = 1000;

/** Begins a deadline, after which `expire` is called. The returned function ends it. */
export type BeginDeadline = (expire: () => void) => () => void;

/**
 * Creates a source of deadlines. For speed, one timer that ticks serves all of them, in place of a timer or a look at the clock for each.
 *
 * @param lengthMs The time until a deadline, in milliseconds. It is the same for all, so they expire in the order in which they began.
 * @param hasOwnTimers Whether each deadline has a timer of its own, as on Workers, where a timer ends with the request that has set it.
 */
export function createDeadlines(lengthMs: number, hasOwnTimers: boolean): BeginDeadline {
  if (hasOwnTimers) {
    return (expire) => {
      const timer = setTimeout(expire, lengthMs);
      return () => clearTimeout(timer);
    };
  }
  const ticksPerDeadline = Math.max(MIN_TICKS, Math.ceil(lengthMs / LONGEST_TICK_MS));
  const tickMs = lengthMs / ticksPerDeadline;
  /** The deadlines that run, in the order in which they began, each with the number of the tick at which it expires. */
  const running = new Map<() => void, number>();
  /** The timer of the next tick. It is undefined while no deadline runs. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** How many ticks have passed. */
  let tick = 0;
  /** When the timer was set, as in `performance.now()`. */
  let timerSetAt = 0;

  function setTimer(): void {
    // A timer that counts as lost may fire after all.
    clearTimeout(timer);
    timerSetAt = performance.now();
    timer = setTimeout(onTick, tickMs);
  }

  function onTick(): void {
    tick++;
    for (const [expire, dueTick] of running) {
      if (dueTick > tick) break;
      running.delete(expire);
      expire();
    }
    timer = undefined;
    if (running.size > 0) setTimer();
  }

  /** Whether the timer should have fired long ago: a host that suspends an isolate may drop its timers. */
  const isTimerLost = () => performance.now() - timerSetAt > 2 * tickMs + MAX_DELAY_MS;

  return (expire) => {
    if (timer === undefined || isTimerLost()) setTimer();
    // It gets one tick more, because a part of the present tick is over. So a deadline is up to one tick late.
    running.set(expire, tick + ticksPerDeadline + 1);
    return () => running.delete(expire);
  };
}
