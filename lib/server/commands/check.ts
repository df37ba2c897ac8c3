import { inspectDatabase } from "../../stores/sqlite/inspection.ts";
import { StoreUnavailableError } from "../../stores/store.ts";
import { readText } from "../settings.ts";
import { SettingError, startError } from "../start_error.ts";
import { describePostgres, inspectPostgres } from "../store/open_postgres.ts";
import { findStore, MEMORY } from "../store/open_store.ts";
import { type Command, type Context, showPets } from "./command.ts";

export const CHECK: Command = {
  summary: "tell whether the store is sound",
  settings: ["store"],
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
    const { faults, summary } = await check(setting, context);
    for (const fault of faults) context.writers.errors.add(`petstore: ${fault}`);
    if (faults.length > 0) return 2;
    context.writers.output.add(summary);
    return 0;
  },
};

interface Result {
  /** Why the store is not sound. */
  faults: string[];
  /** What a sound store holds. */
  summary: string;
}

async function check(setting: string, { environment, host }: Context): Promise<Result> {
  const store = findStore(setting, environment);
  if (store.kind === "memory") {
    throw new SettingError(`There is nothing to check in ${MEMORY}; name a file or a database`);
  }
  if (store.kind === "sqlite") return await checkFile(store.path);
  const { version, isReadOnly } = await inspectPostgres(store.target, host.postgresDriver);
  const note = isReadOnly ? ", for reading only" : "";
  return { faults: [], summary: `${describePostgres(store.target)} is sound: schema version ${version}${note}` };
}

async function checkFile(path: string): Promise<Result> {
  try {
    const { version, wanted, pets, faults } = await inspectDatabase(path);
    if (version === 0) return { faults: [`${path} is an empty database, which no server has used yet`], summary: "" };
    const note = version < wanted ? `, which the next start migrates to ${wanted}` : "";
    return { faults, summary: `sqlite:${path} is sound: ${showPets(pets)}, schema version ${version}${note}` };
  } catch (error) {
    throw error instanceof StoreUnavailableError ? startError(error.message, error) : error;
  }
}
