import { closeSync, createReadStream, fstat, open } from "node:fs";
import { Socket } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import type { ExportFormat } from "../../stores/pet_exporter.ts";
import { type CommandArguments, oneOf } from "../settings/arguments.ts";
import { codeOf } from "../process/folders.ts";
import { explain, SettingError, UnreachableError } from "../process/start_error.ts";

export const STANDARD = "-";

const EXTENSIONS: Readonly<Record<string, ExportFormat>> = { ndjson: "ndjson", jsonl: "ndjson", csv: "csv" };

const BLOCK = 256 * 1024;

/** The flag decides, else the extension of the file. `fallback` is for a name without one. */
export function readFormat(args: CommandArguments, fallback?: ExportFormat): ExportFormat {
  const given = args.optional("format", oneOf("ndjson", "csv"));
  const extension = /\.([^./]*)$/.exec(args.operand)?.[1]?.toLowerCase();
  const format = given ?? (extension === undefined ? fallback : EXTENSIONS[extension]);
  if (format !== undefined) return format;
  throw new SettingError(
    "The format is not known; add --format ndjson or --format csv, or end the name with .ndjson, .jsonl or .csv",
  );
}

export interface Source {
  /** Iterating again continues after the end, if it `grows`. */
  bytes: AsyncIterable<Uint8Array>;
  /** Another program may append to a file. */
  grows: boolean;
  close(): void;
}

/** @param ending Resolves when the process is told to end. Reading then fails with an {@link UnreachableError}. */
export async function openSource(path: string, ending: Promise<void>): Promise<Source> {
  const readable = (stream: AsyncIterable<Uint8Array>, name: string) => until(ending, stream, name);
  const pipe = { grows: false, close: () => {} };
  if (path === STANDARD) return { ...pipe, bytes: readable(process.stdin, "Standard input") };
  try {
    // Node closes a FileHandle that is collected as garbage, below the socket.
    const fd = await promisify(open)(path, "r");
    const stats = await promisify(fstat)(fd);
    if (stats.isDirectory()) throw new SettingError(`${path} cannot be read: it is a folder`);
    // On Node, reading a pipe as a file would delay the end of the process. Deno has no such socket.
    const isSocket = stats.isFIFO() && process.versions["deno"] === undefined;
    if (!stats.isFile()) {
      const stream = isSocket ? new Socket({ fd }) : createReadStream(path, { fd, highWaterMark: BLOCK });
      return { ...pipe, bytes: readable(stream, path) };
    }
    let count = 0;
    const bytes = {
      async *[Symbol.asyncIterator]() {
        // From where the last one has ended.
        const stream = createReadStream(path, { fd, start: count, autoClose: false, highWaterMark: BLOCK });
        for await (const block of readable(stream, path)) {
          count += block.length;
          yield block;
        }
      },
    };
    return { bytes, grows: true, close: () => closeSync(fd) };
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new SettingError(`${path} does not exist`);
    throw explain(`${path} cannot be read`, error);
  }
}

/** Also ends while it waits for more bytes, as of a pipe. */
async function* until(
  ending: Promise<void>,
  stream: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let isStopped = false;
  let stop = () => {};
  ending.then(() => {
    isStopped = true;
    stop();
  });
  const blocks = stream[Symbol.asyncIterator]();
  for (;;) {
    // Not Promise.race(): `ending` would keep each block until the end.
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Uint8Array>>();
    stop = () => reject(new UnreachableError("The import was stopped"));
    if (isStopped) stop();
    blocks.next().then(resolve, (error) => reject(explain(`${name} cannot be read`, error)));
    const { done, value } = await promise;
    if (done) return;
    yield value;
  }
}
