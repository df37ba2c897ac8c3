/** A value that does not change, so that `Atomics.wait()` sleeps for the whole time. */
const NEVER_CHANGED = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for a time in milliseconds. */
export function pauseThread(milliseconds: number): void {
  Atomics.wait(NEVER_CHANGED, 0, 0, milliseconds);
}
