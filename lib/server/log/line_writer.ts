/** Lines for standard output or standard error, written in batches and never waited for. */

/** Where lines go: `Deno.stdout` or `Deno.stderr`. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** Writes lines. */
export interface LineWriter {
  /** Adds a line, which must not have a line end. */
  add(line: string): void;
  /** Resolves when all lines have been written. */
  flush(): Promise<void>;
}

/** Lines that wait for a reader that does not read are dropped beyond this many characters, and counted. */
const MAX_WAITING = 1_048_576;

/**
 * Makes a writer. A write for each line would cost more than a request, and one that blocks would stop them all.
 *
 * @param onFailure Told once if lines cannot be written though somebody reads.
 */
export function createLineWriter(sink: LineSink, onFailure?: (error: Error) => void): LineWriter {
  const encoder = new TextEncoder();
  let waiting = "";
  let dropped = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;

  function add(line: string): void {
    if (waiting.length > MAX_WAITING) {
      dropped++;
      return;
    }
    waiting += line + "\n";
    writing ??= drain();
  }

  async function drain(): Promise<void> {
    // What is added in the same turn of the event loop shares a write.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (waiting !== "") {
      const lines = dropped === 0 ? waiting : `${waiting}${dropped} lines were dropped: nobody read them\n`;
      waiting = "";
      dropped = 0;
      await writeAll(encoder.encode(lines));
    }
    writing = undefined;
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let offset = 0; offset < bytes.length;) offset += await sink.write(bytes.subarray(offset));
    } catch (error) {
      // The service goes on. After `| head` nobody reads any more, and nobody wants to hear of it.
      if (!hasFailed && !(error instanceof Deno.errors.BrokenPipe)) onFailure?.(error as Error);
      hasFailed = true;
    }
  }

  return { add, flush: async () => await writing };
}
