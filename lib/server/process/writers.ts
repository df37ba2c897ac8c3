/** Writes lines to standard output and standard error, in batches and in the background. */

import { Buffer } from "node:buffer";
import { asJsonLine, oneLine } from "./messages.ts";

export interface LineWriter {
  /** @param line Without its line end. */
  add(line: string): void;
  /** Changes each line that is added. It is set when the settings are known; before that, lines stay as they are. */
  format?: (line: string) => string;
  /** Resolves when each line until now has been written, or a write of it has failed. */
  flush(): Promise<void>;
  /**
   * The error of the first write that has failed. It may only mean that the reader has closed the
   * pipe ({@link isBrokenPipe}).
   */
  failure: Error | undefined;
}

/** Writes a line for the operator. Line ends in the text become escape sequences. */
export type Report = (line: string) => void;

/** Standard output gets the result of a command, and standard error all other lines. */
export interface Writers {
  output: LineWriter;
  errorOutput: LineWriter;
  /** Writes a line for the operator to standard error. It begins with the name of the program. */
  report: Report;
}

/** Standard output or standard error. A write may take only a part of the bytes, and resolves to their number. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

export type Sinks = Record<"output" | "errorOutput", Sink>;

/** Creates the writers of both streams. If standard output cannot be written, standard error says so. */
export function createWriters(sinks: Sinks): Writers {
  // A failure of standard error can be reported nowhere.
  const errorOutput = createLineWriter(sinks.errorOutput, () => {});
  const report = (line: string) => errorOutput.add(`petstore: ${oneLine(line)}`);
  const output = createLineWriter(sinks.output, ({ message }) => {
    report(`standard output cannot be written: ${message}`);
  });
  return { output, errorOutput, report };
}

/** Makes each line a JSON object from now on. */
export function writeJson({ output, errorOutput }: Writers): void {
  output.format = errorOutput.format = asJsonLine;
}

/** Whether the reader has closed the pipe. */
export function isBrokenPipe(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EPIPE";
}

export async function writeAll(sink: Sink, bytes: Uint8Array): Promise<void> {
  let writtenLength = 0;
  while (writtenLength < bytes.length) writtenLength += await sink.write(bytes.subarray(writtenLength));
}

/** The pause after a write. It is there for speed: a write wakes a thread, which costs as much as several responses. */
const WRITE_PAUSE_MS = 50;

/**
 * Creates a writer. It collects lines for speed, because a separate write for each line would cost
 * more than a request. It does not wait for a write, because a blocking one would stop the server.
 *
 * The writer is idle, or waits for the timer of its next write, or has a write under way. Each
 * write sets the timer again.
 *
 * @param onFailure Called at the first failed write, unless the reader has closed the pipe, as
 * `| head` does on purpose.
 */
function createLineWriter(sink: Sink, onFailure: (error: Error) => void): LineWriter {
  const writer: Required<LineWriter> = { add, flush, format: (line) => line, failure: undefined };
  const queue = createLineQueue((line) => writer.format(line));
  /** Begins the next write. It is undefined while the writer is idle, and from the beginning of a write to its end. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The write under way, or undefined. It never rejects. */
  let writing: Promise<void> | undefined;

  function add(line: string): void {
    queue.add(line);
    // The first line after a pause is written soon, with the others of the same turn of the event loop.
    if (!writing) timer ??= setTimeout(startWrite, 0);
  }

  /** Writes what waits. If nothing does, the writer becomes idle. */
  function startWrite(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!writing && !queue.isEmpty()) writing = write(queue.takeAll());
  }

  async function write(bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(sink, bytes);
    } catch (error) {
      if (!writer.failure && !isBrokenPipe(error)) onFailure(error as Error);
      writer.failure ??= error as Error;
    }
    writing = undefined;
    timer = setTimeout(startWrite, WRITE_PAUSE_MS);
  }

  async function flush(): Promise<void> {
    await writing;
    // Lines that were added during that write need another one.
    startWrite();
    await writing;
  }

  return writer;
}

/** If more characters than this wait for a slow reader, further lines are dropped and counted. */
const MAX_WAITING_LENGTH = 1_048_576;

/** For speed, lines are encoded together, this many at a time. */
const LINES_PER_ENCODING = 32;

/**
 * The lines that wait for the next write of a {@link LineWriter}.
 *
 * @param format Changes each line before it waits.
 */
function createLineQueue(format: (line: string) => string) {
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
    /** Adds a line, or drops it if too much waits. */
    add(line: string): void {
      if (waitingLength > MAX_WAITING_LENGTH) {
        droppedCount++;
        return;
      }
      const formatted = format(line);
      waitingLength += formatted.length + 1;
      if (lines.push(formatted) >= LINES_PER_ENCODING) encode();
    },
    isEmpty: () => waitingLength === 0,
    /** Returns all that waits, and a line about dropped ones. Then the queue is empty. */
    takeAll(): Uint8Array {
      if (droppedCount > 0) lines.push(format(`${droppedCount} lines were dropped because the reader was too slow`));
      encode();
      waitingLength = 0;
      droppedCount = 0;
      return Buffer.concat(encoded.splice(0));
    },
  };
}
