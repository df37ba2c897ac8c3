/** Changes of SQL that a slip of the pen could make. Stryker replaces a statement as a whole, which any test notices. */

export interface SqlChange {
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
}

function of(file: string, changes: readonly [from: string, to: string][]): SqlChange[] {
  return changes.map(([from, to]) => ({ file, from, to }));
}

export const SQLITE_CHANGES: readonly SqlChange[] = [
  ...of("lib/stores/sqlite/statements.ts", [
    ["WHERE key = ? AND expires_at > ?", "WHERE key >= ? AND expires_at > ?"],
    ["WHERE key = ? AND expires_at > ?", "WHERE key = ? AND expires_at > 0 * ?"],
    ['"INSERT OR REPLACE INTO', '"INSERT OR IGNORE INTO'],
    ["WHERE expires_at <= ? ORDER", "WHERE expires_at >= ? ORDER"],
    ["ORDER BY expires_at LIMIT ?", "ORDER BY expires_at LIMIT 0 * ?"],
    ["json FROM pets WHERE id = ?", "json FROM pets WHERE id >= ?"],
    ['string = page("id > ?")', 'string = page("id >= ?")'],
    ['"status = ? AND id > ?"', '"status = ? AND id >= ?"'],
    ['"status = ? AND id > ?"', '"status >= ? AND id > ?"'],
    ["AND id <= ifnull(next - 1,", "AND id <= ifnull(next,"],
    ["ORDER BY id LIMIT 1 OFFSET", "ORDER BY id DESC LIMIT 1 OFFSET"],
    ["OFFSET ?)", "OFFSET ? - 1)"],
    ["(SELECT max(id) FROM pets)", "(SELECT min(id) FROM pets)"],
    ["SET seq = seq WHERE", "SET seq = seq + 1 WHERE"],
  ]),
  ...of("lib/stores/pet_sql.ts", [["'id', id, 'name', name", "'name', name, 'id', id"]]),
  ...of("lib/stores/sql_keys.ts", [
    ["FROM ${table} ORDER BY rowid`", "FROM ${table} ORDER BY rowid DESC`"],
    ["count(revoked_at)", "count(*)"],
    ["sum(last_used_at % 1000003)", "count(last_used_at)"],
    ["min(?, ifnull(expires_at, ", "max(?, ifnull(expires_at, "],
    ["WHERE id = ? AND revoked_at IS NULL AND NOT", "WHERE id = ? AND NOT"],
    ["WHERE id = ? OR digest = ?", "WHERE id = ? AND digest = ?"],
    ["WHERE id = ? AND revoked_at IS NULL) ON", "WHERE id = ?) ON"],
    ["ifnull(revoked_at, ?)", "max(ifnull(revoked_at, 0), ?)"],
    ["max(ifnull(last_used_at, 0), used.at)", "used.at"],
    ["max(value ->> 1)", "min(value ->> 1)"],
    ["WHERE ${table}.id = used.id", "WHERE ${table}.id >= used.id"],
  ]),
];
