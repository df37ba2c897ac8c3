/**
 * Tells a copy to stop. An `AbortSignal` cannot, because the thread that copies handles no event before it has ended. The number is in
 * memory that both threads share, and is 0 until the copy must stop.
 */
export type StopFlag = Int32Array<SharedArrayBuffer>;

export function createStopFlag(): StopFlag {
  return new Int32Array(new SharedArrayBuffer(4));
}

/** Stops a copy before its next step. A pause between two steps ends at once. */
export function stopCopy(stop: StopFlag): void {
  Atomics.store(stop, 0, 1);
  Atomics.notify(stop, 0);
}

export function throwIfStopped(stop: StopFlag): void {
  if (Atomics.load(stop, 0) !== 0) throw new Error("The copy was told to stop");
}
