/** Whether this is Cloudflare Workers, where a timer ends with the request that has set it, and so cannot serve other requests. */
export const IN_WORKERS: boolean = globalThis.navigator?.userAgent === "Cloudflare-Workers";

/** A deadline is at most one tick late. A time limit has eight ticks, or more if they would last longer than a second. */
const TICKS = 8, LONG_TICK = 1000;

/** How late a timer may be on a busy machine before it counts as lost, in milliseconds. */
const MAX_DELAY = 1000;

/** Begins a deadline, after which `expire` is called. The returned function ends it. */
export type BeginDeadline = (expire: () => void) => () => void;

/**
 * One timer and its ticks serve all deadlines, because a timer or a clock for each costs more.
 *
 * @param length The time until a deadline, in milliseconds. It is the same for all.
 */
export function createDeadlines(length: number): BeginDeadline {
  if (IN_WORKERS) {
    return (expire) => {
      const timer = setTimeout(expire, length);
      return () => clearTimeout(timer);
    };
  }
  const ticks = Math.max(TICKS, Math.ceil(length / LONG_TICK));
  const interval = length / ticks;
  /** The deadlines that have begun, in order, each with the tick at which it expires. */
  const open = new Map<() => void, number>();
  let timer: ReturnType<typeof setTimeout> | undefined, tick = 0, tickedAt = 0;

  function setTimer(): void {
    // The timer before it counts as lost, but may fire after all.
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

  /** Whether the timer should have fired long ago: a host that suspends an isolate may drop its timers. */
  const isTimerLost = () => performance.now() - tickedAt > 2 * interval + MAX_DELAY;

  return (expire) => {
    if (timer === undefined || (open.size > 0 && isTimerLost())) setTimer();
    // One tick more, because a part of the present tick is over.
    open.set(expire, tick + ticks + 1);
    return () => open.delete(expire);
  };
}
