import { DatabaseSync } from "node:sqlite";
import { VERSION } from "../../version.ts";
import { StoreUnavailableError } from "../store.ts";
import { KEY_COLUMNS, PET_COLUMNS, REQUEST_COLUMNS } from "../sql_columns.ts";
import { MARK_EARLIER_REQUESTS } from "./statements.ts";
import { begin, BUSY_TIMEOUT, commit } from "./transaction.ts";

/** "Pets" in ASCII (PRAGMA application_id). */
const APPLICATION_ID = 0x50657473;

/**
 * Released entries must not change. If older releases cannot use the migrated file, an entry must also update
 * `compatibility`. Every SQLite index ends with the rowid, so that of statuses is in order of id.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE pets ${PET_COLUMNS};
   CREATE INDEX pets_by_status ON pets (status);`,
  `CREATE TABLE idempotency_keys ${REQUEST_COLUMNS};
   CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);`,
  `CREATE TABLE compatibility (
     oldest_version INTEGER NOT NULL,
     oldest_release TEXT NOT NULL
   ) STRICT;
   INSERT INTO compatibility VALUES (3, '0.2.0');`,
  // The stamp changes at every write that does more than add pets with new, larger ids. REPLACE fires no trigger for
  // the row that it deletes, so the third trigger checks the id. During a statement, sqlite_sequence has the largest id
  // before it.
  `CREATE TABLE alteration (stamp INTEGER NOT NULL) STRICT;
   INSERT INTO alteration VALUES (random());
   CREATE TRIGGER pet_updated AFTER UPDATE ON pets BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_deleted AFTER DELETE ON pets BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_inserted AFTER INSERT ON pets
     WHEN NEW.id <= ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), NEW.id)
     BEGIN UPDATE alteration SET stamp = random(); END;`,
  // In the order in which they were added. Times are in milliseconds since 1970.
  `CREATE TABLE api_keys ${KEY_COLUMNS};`,
  // So that no pet is imported twice.
  `CREATE TABLE imports (
     parent TEXT NOT NULL,
     digest TEXT NOT NULL,
     records INTEGER NOT NULL,
     pets INTEGER NOT NULL,
     added_at INTEGER NOT NULL,
     PRIMARY KEY (parent, digest)
   ) STRICT, WITHOUT ROWID;`,
  // REPLACE can delete a row with any id, and other programs can change ids and sqlite_sequence. Only a trigger before the insert sees
  // that row. There, an id that SQLite is to choose is undefined, so the other trigger finds additions in the middle.
  `DROP TRIGGER IF EXISTS pet_inserted;
   CREATE TRIGGER pet_inserted AFTER INSERT ON pets WHEN NEW.id < (SELECT max(id) FROM pets)
     BEGIN UPDATE alteration SET stamp = random(); END;
   CREATE TRIGGER pet_replaced BEFORE INSERT ON pets WHEN EXISTS (SELECT 1 FROM pets WHERE id = NEW.id)
     BEGIN UPDATE alteration SET stamp = random(); END;`,
];

export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** By kind and name, without those of SQLite itself. */
export function readSchemaText(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare("SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  const entries = rows.map(({ name, sql }): [string, string] => [String(name), String(sql)]);
  return new Map(entries.filter(([name]) => !/ sqlite_/.test(name)));
}

export function schemaTextOf(version: number): Map<string, string> {
  const db = new DatabaseSync(":memory:");
  try {
    for (const statements of MIGRATIONS.slice(0, version)) db.exec(statements);
    return readSchemaText(db);
  } finally {
    db.close();
  }
}

/** 0 if it is empty. Call it in a transaction, because another process may create it between two reads. */
export function requireKnownSchema(db: DatabaseSync, path: string): number {
  const version = requireOwn(db, path);
  if (version > MIGRATIONS.length) requireCompatible(db, path, version);
  return version;
}

/** Checks only that a database is empty or belongs to this program. Returns the version. */
export function requireOwn(db: DatabaseSync, path: string): number {
  const owner = readPragma(db, "application_id");
  const version = readPragma(db, "user_version");
  const isEmpty = db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (owner === APPLICATION_ID || (isEmpty && owner === 0 && version === 0)) return version;
  throw new StoreUnavailableError(`${path} is an SQLite database of another program; it was left unchanged`);
}

/** Like {@link requireKnownSchema}, but throws for an empty database too. */
export function requireTables(db: DatabaseSync, path: string): void {
  if (requireKnownSchema(db, path) === 0) throw new StoreUnavailableError(`${path} is an empty database`);
}

function requireCompatible(db: DatabaseSync, path: string, version: number): void {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'compatibility'").get() !== undefined;
  const { oldest_version, oldest_release } = hasTable && db.prepare("SELECT * FROM compatibility").get() || {};
  if (Number(oldest_version) <= MIGRATIONS.length) return;
  const needed = oldest_release === undefined ? "a later release" : `release ${oldest_release} or later`;
  throw new StoreUnavailableError(
    `${path} has schema version ${version}, which needs ${needed}; this is release ${VERSION}`,
  );
}

/** In one transaction. Returns whether the database was empty. */
export function migrate(db: DatabaseSync, path: string): boolean {
  if (readPragma(db, "user_version") === MIGRATIONS.length) return false;
  begin(db, BUSY_TIMEOUT);
  return commit(db, () => {
    // Under the lock, because another process may have migrated it meanwhile.
    const version = requireKnownSchema(db, path);
    for (const statements of MIGRATIONS.slice(findBuiltVersion(db, version))) db.exec(statements);
    // The releases that told callers apart by the API key.
    if (version === 2 || version === 3) db.prepare(MARK_EARLIER_REQUESTS).run(BigInt(Date.now()));
    if (version < MIGRATIONS.length) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    }
    return version === 0;
  });
}

/** A release before 0.2.0 that starts in the same instant writes its own version over that of a later schema. */
function findBuiltVersion(db: DatabaseSync, version: number): number {
  if (version === 0) return 0;
  const actual = readSchemaText(db);
  const isBuilt = (built: number) => [...schemaTextOf(built)].every(([name, sql]) => actual.get(name) === sql);
  for (let built = MIGRATIONS.length; built > version; built--) if (isBuilt(built)) return built;
  return version;
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
