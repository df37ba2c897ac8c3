import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import type { Runtime } from "../serving/runtime.ts";
import { firstLine, SettingError, startError } from "../process/start_error.ts";
import { loadPostgres, MEMORY, parseStoreLocation, type StoreLocation } from "../store/open_store.ts";
import { describePostgres } from "../store/postgres_url.ts";
import { type Command, formatPetCount } from "./command.ts";
import { get, type IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import type { Format } from "../settings/arguments.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound, or a server ready",
  flags: { url: { value: "URL", help: "ask the server at this address whether it is ready, and look at no store" } },
  about:
    "Servers may use the store meanwhile; nothing is written and no file is made. Each fault has a line on standard error.",
  statuses: [
    "the store is sound, or the server ready",
    "the store cannot be checked at the moment, or the server is not ready or cannot be reached",
    "a wrong command line, or the store is not sound, or something else answers at the address",
  ],
  examples: [
    "petstore check",
    "petstore check --store sqlite:copy.db && mv copy.db /backup/",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore check",
    "petstore check --url http://127.0.0.1:8000",
  ],
  async run(args, { writers: { output, errors }, runtime }) {
    const url = args.optional("url", SERVER_ADDRESS);
    if (url !== undefined) {
      const { status, faults } = await askServer(url);
      for (const fault of faults) errors.add(`petstore: ${fault}`);
      if (status === 0) output.add(`${url.origin} is ready`);
      return status;
    }
    const location = parseStoreLocation(args.text("store"), runtime.environment);
    const { faults, description } = await check(location, runtime);
    for (const fault of faults) errors.add(`petstore: ${fault}`);
    if (faults.length > 0) return 2;
    output.add(description);
    return 0;
  },
};

interface Result {
  /** Why the store is not sound. */
  faults: string[];
  /** The result if it is sound. Without secrets. */
  description: string;
}

async function check(store: StoreLocation, { postgresDriver }: Runtime): Promise<Result> {
  if (store.kind === "sqlite") return await checkFile(store.path);
  if (store.kind === "memory") {
    throw new SettingError(`There is nothing to check in ${MEMORY}; name a file or a database`);
  }
  const { inspectPostgres } = await loadPostgres();
  const { version, isReadOnly, faults } = await inspectPostgres(store.target, postgresDriver);
  const note = isReadOnly ? ", for reading only" : "";
  return { faults, description: `${describePostgres(store.target)} is sound: schema version ${version}${note}` };
}

async function checkFile(path: string): Promise<Result> {
  try {
    const { version, currentVersion, pets, faults } = await inspectDatabase(path);
    if (version === 0) faults.push(`${path} is an empty database, which no server has used yet`);
    const note = version < currentVersion ? `, which the next start migrates to ${currentVersion}` : "";
    const contents = `${formatPetCount(pets)}, schema version ${version}`;
    return { faults, description: `sqlite:${path} is sound: ${contents}${note}` };
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}

/** Longer than a server takes to find out that its store is down, and shorter than a supervisor waits. */
const TIMEOUT = 5_000;

/** The server itself has no TLS, and a proxy in front of it keeps the path to itself. */
export const SERVER_ADDRESS: Format<URL> = {
  form: "the address of a server, such as http://127.0.0.1:8000",
  parse(text) {
    const url = URL.parse(text);
    return url?.protocol === "http:" ? url : undefined;
  },
};

/** Why a server is not ready, and the exit status; no fault if it is. */
export async function askServer({ origin }: URL): Promise<{ status: 0 | 1 | 2; faults: string[] }> {
  try {
    const { status, text } = await ask(origin);
    if (status === 200) return { status: 0, faults: [] };
    if (status === 503) return { status: 1, faults: [`${origin} is not ready: ${messageOf(text)}`] };
    return { status: 2, faults: [`${origin} answers /readyz with ${status}, so it is not the port of a server`] };
  } catch (error) {
    return { status: 1, faults: [`${origin} cannot be asked: ${firstLine(error)}`] };
  }
}

/** Not by fetch(), which asks a proxy of the environment also for an address of this machine. */
async function ask(origin: string): Promise<{ status: number | undefined; text: string }> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(`${origin}/readyz`, { signal, agent: false }, resolve).on("error", (error) => reject(signal.reason ?? error));
  const response = await promise;
  return { status: response.statusCode, text: await readText(response) };
}

/** The message of an Error body, or the whole body of another server. */
function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message);
  } catch {
    return text.slice(0, 200);
  }
}
