/** Workers end a timer with the request that set it. */
export const TIMERS_END_WITH_REQUESTS = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** A deadline is at most a tick late. */
const TICKS = 8, LONG_TICK = 1000;

/** In milliseconds. */
const MAX_DELAY = 1000;

/** Returns what ends it. */
export type BeginDeadline = (expire: () => void) => () => void;

/**
 * One timer and its ticks serve all deadlines, because a timer or a clock for each costs more.
 *
 * @param length In milliseconds.
 */
export function createDeadlines(length: number): BeginDeadline {
  if (TIMERS_END_WITH_REQUESTS) {
    return (expire) => {
      const timer = setTimeout(expire, length);
      return () => clearTimeout(timer);
    };
  }
  const ticks = Math.max(TICKS, Math.ceil(length / LONG_TICK));
  const interval = length / ticks;
  /** With the tick at which each expires. */
  const open = new Map<() => void, number>();
  let timer: ReturnType<typeof setTimeout> | undefined, tick = 0, tickedAt = 0;

  function setTimer(): void {
    // A lost timer may fire after all.
    clearTimeout(timer);
    tickedAt = performance.now();
    timer = setTimeout(pass, interval);
  }

  function pass(): void {
    tick++;
    for (const [expire, due] of open) {
      if (due > tick) break;
      open.delete(expire);
      expire();
    }
    timer = undefined;
    if (open.size > 0) setTimer();
  }

  /** Hosts that suspend an isolate may drop its timers. */
  const isTimerLost = () => performance.now() - tickedAt > 2 * interval + MAX_DELAY;

  return (expire) => {
    if (timer === undefined || (open.size > 0 && isTimerLost())) setTimer();
    // Part of the present tick is over.
    open.set(expire, tick + ticks + 1);
    return () => open.delete(expire);
  };
}
