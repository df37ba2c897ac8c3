import { parseFlags, readCount, UsageError } from "../../support/command_line.ts";
import { newSeed } from "../../support/random.ts";

export interface FuzzOptions {
  requests: number;
  seed: number;
  isSocket: boolean;
  /** By default all. */
  stores: readonly string[] | undefined;
  /** Of a standalone server to search, instead of petstores of this process. */
  workers: number | undefined;
  /** Where to serve a petstore for repeating a finding, instead of searching. */
  servePort: number | undefined;
}

const REQUESTS = 100_000;

const HELP = `deno task reliability fuzz [options]

  --requests N   how many requests to send, each to every store: ${REQUESTS} unless given
  --seed S       which requests: those of an earlier run, or random ones unless given
  --socket       through Deno.serve, byte by byte, and with what is no HTTP at all; otherwise handle is called
  --store NAME   this store only; repeatable
  --workers N    a standalone server on SQLite, of which N threads serve, over several sockets in turn
  --serve PORT   serve a petstore to try the printed curl lines on, and look for nothing
  --help         this text

Stores:`;

export function readOptions(args: readonly string[], stores: readonly string[]): FuzzOptions {
  const values = parseFlags(args, [HELP, ...stores].join("\n  "), {
    requests: { type: "string" },
    seed: { type: "string" },
    socket: { type: "boolean", default: false },
    store: { type: "string", multiple: true },
    workers: { type: "string" },
    serve: { type: "string" },
  });
  for (const name of values.store ?? []) {
    if (!stores.includes(name)) throw new UsageError(`There is no store ${name}`);
  }
  if (values.workers !== undefined && (values.socket || values.store || values.serve !== undefined)) {
    throw new UsageError("--workers comes without --socket, --store and --serve");
  }
  return {
    requests: readCount("requests", values.requests, REQUESTS),
    seed: readCount("seed", values.seed, newSeed() >>> 1, 0),
    isSocket: values.socket,
    stores: values.store,
    workers: values.workers === undefined ? undefined : readCount("workers", values.workers, 1),
    servePort: values.serve === undefined ? undefined : readCount("serve", values.serve, 0, 0),
  };
}
