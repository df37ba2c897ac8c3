/** D1 does not permit `PRAGMA user_version`, so the version is in a table. */

import { attempt, chain, type MaybePromise } from "../../maybe_promise.ts";
import { VERSION } from "../../version.ts";
import { StoreUnavailableError } from "../store.ts";
import { storeClosed } from "../write.ts";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../sql_columns.ts";
import type { Rows, Statement } from "../sql_keys.ts";
import { asUnavailable, isAlreadyPresent, isMissing } from "./errors.ts";

export const SCHEMA_VERSION = 1;

/**
 * A later release must begin with a statement that fails unless the version is the one before, so that only one Worker
 * migrates.
 */
function statements(create: (kind: string) => string, insert: string): string[] {
  return [
    `${create("TABLE")} petstore_schema (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  oldest_version INTEGER NOT NULL,
  oldest_release TEXT NOT NULL
) STRICT`,
    `${create("TABLE")} petstore_pets ${PET_COLUMNS}`,
    `${create("INDEX")} petstore_pets_by_status ON petstore_pets (status)`,
    `${create("TABLE")} petstore_requests ${REQUEST_COLUMNS}`,
    `${create("INDEX")} petstore_requests_by_expiry ON petstore_requests (expires_at)`,
    `${create("TABLE")} petstore_keys ${KEY_COLUMNS}`,
    // The oldest release that can use the tables.
    `${insert} INTO petstore_schema (id, version, oldest_version, oldest_release) VALUES (1, ${SCHEMA_VERSION}, 1, '0.2.0')`,
  ];
}

/** Fails as a whole if any table exists: a Worker of a later release may be creating its own. */
const CREATE_TABLES: readonly Statement[] = statements((kind) => `CREATE ${kind}`, "INSERT").map((sql) => [sql]);

const SELECT_VERSION: Statement = ["SELECT version, oldest_version, oldest_release FROM petstore_schema WHERE id = 1"];

/**
 * The SQL that makes the tables, for wrangler's migrations, if Workers must not make them. It changes no table that
 * exists.
 */
export function d1Schema(): string {
  return statements((kind) => `CREATE ${kind} IF NOT EXISTS`, "INSERT OR IGNORE").map((sql) => `${sql};\n`).join("");
}

export type RunStatements = (...statements: readonly Statement[]) => MaybePromise<Rows[]>;

/** Creates missing tables, and refuses those of a later release. */
export class Tables {
  readonly #name: string;
  readonly #run: RunStatements;
  #isChecked = false;
  #isClosed = false;

  constructor(name: string, run: RunStatements) {
    this.#name = name;
    // After an outage, the transaction may have been committed.
    this.#run = (...statements) =>
      attempt(() => run(...statements), (error) => {
        throw asUnavailable(error, name);
      });
  }

  /**
   * Requests do not share the check of the version, since a request of a Worker must not wait for the promises of
   * another.
   *
   * @throws {StoreUnavailableError} If the tables need a later release, or cannot be reached.
   */
  run(...statements: Statement[]): MaybePromise<Rows[]> {
    if (this.#isClosed) throw storeClosed();
    const run = () => this.#run(...statements);
    return attempt(() => this.#isChecked ? run() : chain(this.#checkVersion(), run), (error) => {
      // For example, after a restore to a time before the tables.
      if (isMissing(error)) this.#isChecked = false;
      throw error;
    });
  }

  /** A later release has changed the tables, for example. Always throws. */
  rejectWrite(): MaybePromise<never> {
    return chain(this.#readVersion(), (rows) => {
      requireUsable(rows, this.#name);
      throw new StoreUnavailableError(`${this.#name}: the tables were changed during a write; repeat it`);
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  #checkVersion(): MaybePromise<void> {
    const existing = attempt<Rows | undefined>(() => this.#readVersion(), (error) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    return chain(chain(existing, (rows) => rows ?? this.#createTables()), (rows) => {
      requireUsable(rows, this.#name);
      this.#isChecked = true;
    });
  }

  #readVersion(): MaybePromise<Rows> {
    return chain(this.#run(SELECT_VERSION), ([rows = []]) => rows);
  }

  #createTables(): MaybePromise<Rows> {
    const created = attempt<unknown>(() => chain(this.#run(...CREATE_TABLES), () => undefined), (error) => {
      if (!isAlreadyPresent(error)) throw error;
      return error;
    });
    // Another Worker has created them, or the app has a table with such a name.
    return chain(created, (conflict) =>
      attempt(() => this.#readVersion(), (error) => {
        throw isMissing(error) && conflict !== undefined ? conflict : error;
      }));
  }
}

function requireUsable([row]: Rows, database: string): void {
  if (row === undefined) throw new StoreUnavailableError(`${database} has no row in the table petstore_schema`);
  if (Number(row["oldest_version"]) <= SCHEMA_VERSION) return;
  throw new StoreUnavailableError(
    `${database} has tables of version ${row["version"]}, which need release ${row["oldest_release"]} or later; ` +
      `this is release ${VERSION}`,
  );
}
