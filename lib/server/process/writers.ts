/** The writers to standard output and standard error. */

import { createLineWriter, type LineSink, type LineWriter, writeAll } from "./line_writer.ts";
import { asJsonLine, oneLine } from "./lines.ts";

export interface Writers {
  output: LineWriter;
  errors: LineWriter;
}

/** Where {@link Writers} write to. */
export type Sinks = Record<keyof Writers, LineSink>;

/** @param onFailure Called if standard output cannot be written. */
export function createWriters(sinks: Sinks, onFailure: () => void = () => {}): Writers {
  const errors = createLineWriter(sinks.errors);
  const output = createLineWriter(sinks.output, ({ message }) => {
    onFailure();
    errors.add(`petstore: standard output cannot be written: ${oneLine(message)}`);
  });
  return { output, errors };
}

/** Makes each line a JSON object from now on. */
export function writeJson({ output, errors }: Writers): void {
  output.format = errors.format = asJsonLine;
}

/**
 * A sink for several writers. It completes each write before it starts the next, because a pipe mixes long writes. Only the
 * first failure is passed on, so that it is reported once.
 */
export function serializeWrites(sink: LineSink): LineSink {
  let lastWrite = Promise.resolve();
  let hasFailed = false;

  async function writeOnce(bytes: Uint8Array): Promise<void> {
    try {
      await writeAll(sink, bytes);
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      throw error;
    }
  }

  return {
    async write(bytes) {
      const written = lastWrite.then(() => writeOnce(bytes));
      lastWrite = written.catch(() => {});
      await written;
      return bytes.length;
    },
  };
}
