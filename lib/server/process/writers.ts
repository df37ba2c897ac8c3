/** Writes lines to standard output and standard error, in batches and in the background. */

import { Buffer } from "node:buffer";
import { asJsonLine, oneLine } from "./lines.ts";

export interface LineWriter {
  /** @param line Without its line end. */
  add(line: string): void;
  /** Changes each line that is added. It is set when the settings are known; before that, lines stay as they are. */
  format?: (line: string) => string;
  /** Resolves when each line until now has been written, or a write of it has failed. */
  flush(): Promise<void>;
  /** Whether a write has failed, even if only because the reader has closed the pipe. */
  hasFailed: boolean;
}

/** Writes a line for the operator. Line ends in the text become escape sequences. */
export type Report = (line: string) => void;

export interface Writers {
  output: LineWriter;
  errors: LineWriter;
}

/** Standard output or standard error. A write may take only a part of the bytes, and resolves to their number. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

export type Sinks = Record<keyof Writers, Sink>;

/** Writes all the bytes: lines, each with its line end. */
type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** If more characters than this wait for a slow reader, further lines are dropped and counted. */
const MAX_BUFFERED = 1_048_576;

/** For speed, lines are encoded together, this many at a time. */
const LINES_PER_ENCODING = 32;

/** The pause after a write, in milliseconds. It is there for speed: a write wakes a thread, which costs as much as several responses. */
const WRITE_PAUSE = 50;

/**
 * Creates the writers of both streams.
 *
 * @param writeOf Returns the function that writes to a stream.
 * @param onFailure Called once if standard output cannot be written, unless its reader has closed the pipe.
 */
export function createWriters(
  writeOf: (stream: keyof Writers) => WriteBytes,
  onFailure: () => void = () => {},
): Writers {
  const errors = createLineWriter(writeOf("errors"), () => {});
  const report = reportTo(errors);
  const output = createLineWriter(writeOf("output"), ({ message }) => {
    onFailure();
    report(`standard output cannot be written: ${message}`);
  });
  return { output, errors };
}

/** Returns the function that writes to standard error. Each line begins with the name of the program. */
export function reportTo(errors: LineWriter): Report {
  return (line) => errors.add(`petstore: ${oneLine(line)}`);
}

/** Makes each line a JSON object from now on. */
export function writeJson({ output, errors }: Writers): void {
  output.format = errors.format = asJsonLine;
}

export async function writeAll(sink: Sink, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) offset += await sink.write(bytes.subarray(offset));
}

/** Whether the reader has closed the pipe. */
export function isBrokenPipe(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EPIPE";
}

/**
 * Creates a writer. It collects lines for speed, because a separate write for each line would cost more than a request. It does not wait
 * for a write, because a blocking one would stop the server.
 *
 * @param onFailure Called at the first failed write, unless the reader has closed the pipe.
 */
function createLineWriter(writeBytes: WriteBytes, onFailure: (error: Error) => void): LineWriter {
  const writer: Required<LineWriter> = { add, flush, format: (line) => line, hasFailed: false };
  /** The last lines that wait to be written. The others are in `encoded`, before them. */
  const lines: string[] = [];
  /**
   * Bytes that wait to be written. They are outside V8's heap, for speed: as strings, the lines between two writes would outlive the young
   * generation, and fill the old one.
   */
  const encoded: Uint8Array[] = [];
  const encoder = new TextEncoder();
  /** The length in characters of what waits to be written. */
  let waitingLength = 0;
  /** How many lines were dropped since the last write began. */
  let droppedCount = 0;
  /** The write under way. */
  let writing: Promise<void> | undefined;
  /**
   * The timer of the next write. The writer is idle, or the timer is set, or a write is under way. After each write the timer is set, so that
   * the next one does not follow at once; if nothing waits then, the writer becomes idle.
   */
  let timer: ReturnType<typeof setTimeout> | undefined;

  function add(line: string): void {
    if (waitingLength > MAX_BUFFERED) {
      droppedCount++;
      return;
    }
    const formatted = writer.format(line);
    waitingLength += formatted.length + 1;
    if (lines.push(formatted) >= LINES_PER_ENCODING) encode();
    // The first line after a pause is written soon, with the others of the same turn of the event loop.
    if (!writing) timer ??= setTimeout(write, 0);
  }

  function encode(): void {
    if (lines.length === 0) return;
    encoded.push(encoder.encode(`${lines.join("\n")}\n`));
    lines.length = 0;
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (writing || waitingLength === 0) return;
    if (droppedCount > 0) {
      lines.push(writer.format(`${droppedCount} lines were dropped because the reader was too slow`));
    }
    encode();
    waitingLength = 0;
    droppedCount = 0;
    writing = writeBytes(Buffer.concat(encoded.splice(0))).catch(fail).then(() => {
      writing = undefined;
      timer = setTimeout(write, WRITE_PAUSE);
    });
  }

  async function flush(): Promise<void> {
    // Lines that were added during a write need another one.
    await writing;
    write();
    await writing;
  }

  /** A failure does not end the server. A closed pipe is not reported, because `| head` closes it on purpose. */
  function fail(error: Error): void {
    if (!writer.hasFailed && !isBrokenPipe(error)) onFailure(error);
    writer.hasFailed = true;
  }

  return writer;
}
