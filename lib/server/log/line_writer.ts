/** Writes lines to standard output or standard error, in batches and in the background. */

/** Standard output, standard error, or a port that leads to one of them. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<number>;
}

export interface LineWriter {
  /** @param line Without its line end. */
  add(line: string): void;
  /** Changes each line before it is written. Set when the settings are known. */
  format?: (line: string) => string;
  /** Resolves when all lines have been written or have failed. */
  flush(): Promise<void>;
  /** Whether a write has failed, also because the reader has closed the pipe. */
  readonly hasFailed: boolean;
}

/** How many characters are buffered for a slow reader. Further lines are dropped and counted. */
const MAX_BUFFERED = 1_048_576;

/** The time between two writes, in milliseconds. Each wakes a thread, which costs as much as several responses. */
const INTERVAL = 50;

/**
 * Creates a writer. A separate write for each line would cost more than a request, and a blocking one would stop the server.
 *
 * @param onFailure Called at the first failed write, unless the reader has closed the pipe.
 */
export function createLineWriter(sink: LineSink, onFailure?: (error: Error) => void): LineWriter {
  const encoder = new TextEncoder();
  const writer: LineWriter = {
    add,
    flush,
    get hasFailed() {
      return hasFailed;
    },
  };
  let buffer = "";
  let dropped = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;
  let isFlushing = false;
  let endPause = () => {};

  function add(line: string): void {
    if (buffer.length > MAX_BUFFERED) {
      dropped++;
      return;
    }
    buffer += (writer.format ? writer.format(line) : line) + "\n";
    writing ??= drain();
  }

  async function drain(): Promise<void> {
    // The first line after a pause is written soon, with the others of the same turn of the event loop.
    await pause(0);
    while (buffer !== "") {
      const lines = dropped === 0 ? buffer : `${buffer}${describeDropped()}\n`;
      buffer = "";
      dropped = 0;
      await writeAll(encoder.encode(lines));
      await pause(INTERVAL);
    }
    writing = undefined;
  }

  function describeDropped(): string {
    const line = `${dropped} lines were dropped because the reader was too slow`;
    return writer.format ? writer.format(line) : line;
  }

  async function pause(delayMs: number): Promise<void> {
    if (isFlushing) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => timer = setTimeout(endPause = resolve, delayMs));
    clearTimeout(timer);
  }

  async function flush(): Promise<void> {
    isFlushing = true;
    endPause();
    await writing;
    isFlushing = false;
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let offset = 0; offset < bytes.length;) offset += await sink.write(bytes.subarray(offset));
    } catch (error) {
      // The server continues. A closed pipe is not reported, because `| head` closes it on purpose.
      if (!hasFailed && !isBrokenPipe(error)) onFailure?.(error as Error);
      hasFailed = true;
    }
  }

  return writer;
}

/** Whether the reader has closed the pipe. */
export function isBrokenPipe(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EPIPE";
}
