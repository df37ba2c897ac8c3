import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "./migrations.ts";
import { markStatements, readVersion, requireKnownSchema } from "./ownership.ts";
import { beginWrite, BUSY_TIMEOUT_MS, runAndCommit } from "./transaction.ts";

/**
 * Brings a database to the latest version, in one transaction. Returns whether it was empty. The
 * caller has checked that it is new or that of a petstore.
 *
 * @param migrations The migrations of this program. A test gives others.
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): boolean {
  if (readVersion(db) === migrations.length) return false;
  beginWrite(db, BUSY_TIMEOUT_MS);
  return runAndCommit(db, () => {
    // The schema is checked again under the lock, because another process may have migrated the database meanwhile.
    requireKnownSchema(db, path, migrations.length);
    const version = readVersion(db);
    for (const statements of migrations.slice(version)) db.exec(statements);
    db.exec(markStatements(migrations.length));
    return version === 0;
  });
}
