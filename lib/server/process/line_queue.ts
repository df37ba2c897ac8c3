/** The lines that wait for the next write of a {@link LineWriter}. */

import { Buffer } from "node:buffer";

/** If more characters than this wait for a slow reader, further lines are dropped and counted. */
const MAX_WAITING_LENGTH = 1_048_576;

/** For speed, lines are encoded together, this many at a time. */
const LINES_PER_ENCODING = 32;

export interface LineQueue {
  /** Adds a line, or drops it if too much waits. */
  add(line: string): void;
  isEmpty(): boolean;
  /** Returns all that waits, and a line about dropped ones. Then the queue is empty. */
  takeAll(): Uint8Array;
}

/** @param format Changes each line before it waits. */
export function createLineQueue(format: (line: string) => string): LineQueue {
  /** The last lines that wait. The others are in `encoded`, before them. */
  const lines: string[] = [];
  /**
   * The first lines that wait, as bytes. They are outside V8's heap, for speed: as strings, the
   * lines between two writes would outlive the young generation, and fill the old one.
   */
  const encoded: Uint8Array[] = [];
  const encoder = new TextEncoder();
  /** The length in characters of what waits. */
  let waitingLength = 0;
  /** How many lines were dropped since the queue was last taken. */
  let droppedCount = 0;

  function encode(): void {
    if (lines.length === 0) return;
    encoded.push(encoder.encode(`${lines.join("\n")}\n`));
    lines.length = 0;
  }

  return {
    add(line) {
      if (waitingLength > MAX_WAITING_LENGTH) {
        droppedCount++;
        return;
      }
      const formatted = format(line);
      waitingLength += formatted.length + 1;
      if (lines.push(formatted) >= LINES_PER_ENCODING) encode();
    },
    isEmpty: () => waitingLength === 0,
    takeAll() {
      if (droppedCount > 0) lines.push(format(`${droppedCount} lines were dropped because the reader was too slow`));
      encode();
      waitingLength = 0;
      droppedCount = 0;
      return Buffer.concat(encoded.splice(0));
    },
  };
}
