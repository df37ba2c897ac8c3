import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { followLinks } from "../../stores/sqlite/file.ts";
import { findUnfinished } from "../../stores/sqlite/remains.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import type { Runtime } from "../serving/runtime.ts";
import { SettingError, startError } from "../process/start_error.ts";
import { loadPostgres, MEMORY, parseStoreLocation, type StoreLocation } from "../store/open_store.ts";
import { describePostgres } from "../store/postgres_url.ts";
import { askServer, SERVER_ADDRESS } from "./ask_server.ts";
import { type Command, formatPetCount } from "./command.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound, or a server ready",
  flags: {
    json: { help: "print JSON: store, isSound, faults, schemaVersion, and pets of a file; or url, isReady and faults" },
    url: { value: "URL", help: "ask the server at this address whether it is ready, and look at no store" },
  },
  about: [
    "Tells whether the store is sound. Servers may use it meanwhile; nothing is written and no file is made. Each fault has a " +
    "line on standard error. The health check of a container asks with --url.",
  ],
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
      if (args.isOn("json")) output.add(JSON.stringify({ url: url.origin, isReady: status === 0, faults }));
      else if (status === 0) output.add(`${url.origin} is ready`);
      return status;
    }
    const location = parseStoreLocation(args.text("store"), runtime.environment);
    const { faults, note, ...state } = await check(location, runtime);
    for (const fault of faults) errors.add(`petstore: ${fault}`);
    const isSound = faults.length === 0;
    const contents = state.pets === undefined ? "" : `${formatPetCount(state.pets)}, `;
    if (args.isOn("json")) output.add(JSON.stringify({ ...state, isSound, faults }));
    else if (isSound) output.add(`${state.store} is sound: ${contents}schema version ${state.schemaVersion}${note}`);
    return isSound ? 0 : 2;
  },
};

interface Result {
  /** Without secrets. */
  store: string;
  /** Why the store is not sound. */
  faults: string[];
  schemaVersion: number;
  /** How many pets a file has. */
  pets?: number;
  /** An addition to the text. May be empty. */
  note: string;
}

async function check(store: StoreLocation, { postgresDriver }: Runtime): Promise<Result> {
  if (store.kind === "sqlite") return await checkFile(store.path);
  if (store.kind === "memory") {
    throw new SettingError(`There is nothing to check in ${MEMORY}; name a file or a database`);
  }
  const { inspectPostgres } = await loadPostgres();
  const { version, isReadOnly, faults } = await inspectPostgres(store.target, postgresDriver);
  const note = isReadOnly ? ", for reading only" : "";
  return { store: describePostgres(store.target), faults, schemaVersion: version, note };
}

async function checkFile(path: string): Promise<Result> {
  try {
    const { version, currentVersion, pets, faults } = await inspectDatabase(path);
    if (version === 0) faults.push(`${path} is an empty database, which no server has used yet`);
    const migration = version < currentVersion ? `, which the next start migrates to ${currentVersion}` : "";
    const note = `${migration}${
      findUnfinished(followLinks(path)).map((name) => `; ${name} beside it is unfinished`).join("")
    }`;
    return { store: `sqlite:${path}`, schemaVersion: version, pets: Number(pets), faults, note };
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}
