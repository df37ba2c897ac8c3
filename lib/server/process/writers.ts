/** Writes lines to standard output and standard error, in batches and in the background. */

import { asJsonLine, oneLine } from "./lines.ts";

export interface LineWriter {
  /** @param line Without its line end. */
  add(line: string): void;
  /** Changes each line before it is written. Set when the settings are known. */
  format?: (line: string) => string;
  /** Resolves when all lines until now have been written or have failed. */
  flush(): Promise<void>;
  /** Whether a write has failed, also because the reader has closed the pipe. */
  hasFailed: boolean;
}

export interface Writers {
  output: LineWriter;
  errors: LineWriter;
}

/** Standard output or standard error. It may take a part of the bytes at a time. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

export type Sinks = Record<keyof Writers, Sink>;

/** Writes lines, each with its line end. The bytes are valid until it resolves. */
type Write = (bytes: Uint8Array) => Promise<void>;

/** How many characters are buffered for a slow reader. Further lines are dropped and counted. */
const MAX_BUFFERED = 1_048_576;

/** How many lines are encoded at once. */
const ENCODED = 32;

/** The time between two writes, in milliseconds. Each wakes a thread, which costs as much as several responses. */
const INTERVAL = 50;

/** @param onFailure Called if standard output cannot be written. */
export function createWriters(writeOf: (stream: keyof Writers) => Write, onFailure: () => void = () => {}): Writers {
  const errors = createLineWriter(writeOf("errors"), () => {});
  const output = createLineWriter(writeOf("output"), ({ message }) => {
    onFailure();
    errors.add(`petstore: standard output cannot be written: ${oneLine(message)}`);
  });
  return { output, errors };
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
 * Creates a writer. A separate write for each line would cost more than a request, and a blocking one would stop the server.
 *
 * @param onFailure Called at the first failed write, unless the reader has closed the pipe.
 */
function createLineWriter(writeBytes: Write, onFailure: (error: Error) => void): LineWriter {
  const writer: Required<LineWriter> = { add, flush, format: (line) => line, hasFailed: false };
  const lines: string[] = [];
  let encoded = new Utf8Buffer(), spare = new Utf8Buffer();
  let length = 0;
  let dropped = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;

  function add(line: string): void {
    if (length > MAX_BUFFERED) {
      dropped++;
      return;
    }
    const formatted = writer.format(line);
    length += formatted.length + 1;
    if (lines.push(formatted) >= ENCODED) encode();
    // The first line after a pause is written soon, with the others of the same turn of the event loop.
    if (!writing) timer ??= setTimeout(write, 0);
  }

  function encode(): void {
    // The empty text at the end makes a line end after the last line.
    lines.push("");
    encoded.add(lines.join("\n"));
    lines.length = 0;
  }

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (writing || length === 0) return;
    if (dropped > 0) lines.push(writer.format(`${dropped} lines were dropped because the reader was too slow`));
    encode();
    const bytes = encoded.take();
    [encoded, spare] = [spare, encoded];
    length = dropped = 0;
    writing = writeBytes(bytes).catch(fail).then(() => {
      writing = undefined;
      timer ??= setTimeout(write, INTERVAL);
    });
  }

  async function flush(): Promise<void> {
    await writing;
    write();
    await writing;
  }

  /** The server continues. A closed pipe is not reported, because `| head` closes it on purpose. */
  function fail(error: Error): void {
    if (!writer.hasFailed && !isBrokenPipe(error)) onFailure(error);
    writer.hasFailed = true;
  }

  return writer;
}

/** Text as bytes, outside V8's heap: the lines between two writes would outlive its young generation, and fill the old one. */
class Utf8Buffer {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(4096);
  #length = 0;

  add(text: string): void {
    // The buffer must have room for the text: a character takes at most three bytes.
    const least = this.#length + 3 * text.length;
    if (least > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(least, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** What has been added. The bytes are valid until the next addition. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }
}
