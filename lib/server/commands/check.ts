import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { readText } from "../settings.ts";
import { SettingError, startError } from "../start_error.ts";
import { loadPostgres, MEMORY, parseStoreLocation } from "../store/open_store.ts";
import { describePostgres } from "../store/postgres_url.ts";
import { type Command, type Context, formatPetCount } from "./command.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound",
  settings: ["store"],
  flags: { json: { help: "print JSON: store, isSound, faults, schemaVersion, and pets of a file" } },
  about: [
    "Tells whether the store is sound. Servers may use it meanwhile; nothing is written and no file is made.",
    "For an SQLite file: SQLite's own integrity check, the schema, changes that another program has made to the schema, and " +
    "pets that the service cannot have stored. It reads the whole file. For PostgreSQL: the connection, the schema and the " +
    "rights of the role.",
    "A store that is not sound has exit status 2, and a store that cannot be checked at the moment 1. Each fault has a line " +
    "on standard error.",
  ],
  examples: [
    "petstore check",
    "petstore check --store sqlite:copy.db && mv copy.db /backup/",
    "PETSTORE_STORE=postgres://user@db.example/pets petstore check",
  ],
  async run({ flags }, context) {
    const setting = readText("store", flags, context.environment);
    const result = await check(setting, context);
    const { faults, note: _, ...state } = result;
    const { output, errors } = context.writers;
    for (const fault of faults) errors.add(`petstore: ${fault}`);
    const isSound = faults.length === 0;
    if (flags.has("json")) output.add(JSON.stringify({ ...state, isSound, faults }));
    else if (isSound) output.add(describe(result));
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

function describe({ store, pets, schemaVersion, note }: Result): string {
  const contents = pets === undefined ? "" : `${formatPetCount(BigInt(pets))}, `;
  return `${store} is sound: ${contents}schema version ${schemaVersion}${note}`;
}

async function check(setting: string, { environment, host }: Context): Promise<Result> {
  const store = parseStoreLocation(setting, environment);
  if (store.kind === "memory") {
    throw new SettingError(`There is nothing to check in ${MEMORY}; name a file or a database`);
  }
  if (store.kind === "sqlite") return await checkFile(store.path);
  const { inspectPostgres } = await loadPostgres();
  const { version, isReadOnly } = await inspectPostgres(store.target, host.postgresDriver);
  const note = isReadOnly ? ", for reading only" : "";
  return { store: describePostgres(store.target), faults: [], schemaVersion: version, note };
}

async function checkFile(path: string): Promise<Result> {
  try {
    const { version, currentVersion, pets, faults } = await inspectDatabase(path);
    const state = { store: `sqlite:${path}`, schemaVersion: version, pets: Number(pets) };
    if (version === 0) {
      return { ...state, faults: [`${path} is an empty database, which no server has used yet`], note: "" };
    }
    return {
      ...state,
      faults,
      note: version < currentVersion ? `, which the next start migrates to ${currentVersion}` : "",
    };
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}
