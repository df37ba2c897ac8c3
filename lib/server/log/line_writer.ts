/** Writes lines to standard output or standard error, in batches and in the background. */

/** `Deno.stdout` or `Deno.stderr`. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<number>;
}

export interface LineWriter {
  /** @param line Without its line end. */
  add(line: string): void;
  /** Resolves when all lines have been written. */
  flush(): Promise<void>;
}

/** How many characters may wait for a slow reader. After that, lines are dropped and counted. */
const MAX_WAITING = 1_048_576;

/** How long lines are collected for one write, in milliseconds. Each write wakes a thread, which costs as much as an answer. */
const COLLECTED = 10;

/**
 * Creates a writer. A separate write for each line would cost more than a request, and a blocking one would stop the server.
 *
 * @param onFailure Called at the first failed write, unless the reader has closed the pipe.
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
    while (waiting !== "") {
      await new Promise((resolve) => setTimeout(resolve, COLLECTED));
      const lines = dropped === 0
        ? waiting
        : `${waiting}${dropped} lines were dropped because the reader was too slow\n`;
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
      // The server continues. A closed pipe is not reported, because `| head` closes it on purpose.
      if (!hasFailed && !(error instanceof Deno.errors.BrokenPipe)) onFailure?.(error as Error);
      hasFailed = true;
    }
  }

  return { add, flush: async () => await writing };
}
