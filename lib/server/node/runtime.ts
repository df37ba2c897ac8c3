import { fstatSync, write } from "node:fs";
import process from "node:process";
import { promisify } from "node:util";
import { sleep } from "../../promises.ts";
import type { Runtime } from "../serving/runtime.ts";
import type { Sink } from "../process/writers.ts";
import { codeOf } from "../process/start_error.ts";
import { PROCESS } from "../process/process.ts";
import { listen } from "./listener.ts";

/** Node as the runtime of the server. */
export const NODE_RUNTIME: Runtime = {
  ...PROCESS,
  sinks: { output: createSink(process.stdout, 1), errorOutput: createSink(process.stderr, 2) },
  listen,
};

/** Writes to standard output or standard error without ever blocking the thread. */
function createSink(stream: NodeJS.WriteStream, descriptor: number): Sink {
  // This does not fail for a descriptor that is closed at the start, because Node opens /dev/null for it.
  const stats = fstatSync(descriptor);
  // For a file or a terminal, Node's own stream would write synchronously, and stop the server
  // while the terminal is paused.
  if (!stats.isFIFO() && !stats.isSocket()) return { write: (bytes) => writeFile(descriptor, bytes) };
  // A failed write rejects below. It is also an error of the stream, which would end the process without a listener.
  stream.on("error", () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
      }),
  };
}

const writeDescriptor = promisify(write);

/**
 * The pause before a write is repeated, in milliseconds. A write to a file in non-blocking mode
 * fails as long as the file is not ready.
 */
const RETRY_DELAY = 20;

/** @returns How many bytes have been written. */
async function writeFile(descriptor: number, bytes: Uint8Array): Promise<number> {
  for (;;) {
    try {
      return (await writeDescriptor(descriptor, bytes)).bytesWritten;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      await sleep(RETRY_DELAY);
    }
  }
}
