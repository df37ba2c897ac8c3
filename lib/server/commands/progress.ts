import { writeSync } from "node:fs";
import { isatty } from "node:tty";

/** Standard error. */
const DESCRIPTOR = 2;

/** Returns a function that shows a share, from 0 to 1, on a terminal. On anything else it shows nothing. */
export function showProgress(): (share: number) => void {
  if (!isatty(DESCRIPTOR)) return () => {};
  let shown = -1;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (percent === shown) return;
    shown = percent;
    // The last one is erased, so that only messages stay.
    writeSync(DESCRIPTOR, percent < 100 ? `\rbackup: ${percent} %` : "\r\x1b[K");
  };
}
