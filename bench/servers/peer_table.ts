/**
 * The pets of the peers in an SQLite file, with the settings of the petstore's: a create is one transaction, which is on disk when it
 * ends.
 */

import { DatabaseSync } from "node:sqlite";
import { petAt } from "../catalogue.ts";
import { linkTo, type PeerPet, type PeerPets, positionOf } from "./peer_pages.ts";

const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_of_status ON pets (status);
`;

/** Opens a file, and fills a new one with this number of pets. */
export function openPeerTable(path: string, size: number): PeerPets {
  const db = new DatabaseSync(path);
  db.exec(SCHEMA);
  const insert = db.prepare("INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)");
  const one = db.prepare("SELECT id, name, categoryId, status FROM pets WHERE id = ?");
  const page = (condition: string) =>
    db.prepare(`SELECT id, name, categoryId, status FROM pets WHERE id > ? ${condition} ORDER BY id LIMIT ?`);
  const any = page(""), ofStatus = page("AND status = ?");
  const known = db.prepare("SELECT max(id) AS last FROM pets").get()?.["last"];
  db.exec("BEGIN");
  for (let id = Number(known) + 1; id <= size; id++) {
    const { name, categoryId, status } = petAt(id);
    insert.run(name, categoryId, status);
  }
  db.exec("COMMIT");
  return {
    create({ name, categoryId, status }) {
      return { id: Number(insert.run(name, categoryId, status).lastInsertRowid), name, categoryId, status };
    },
    get: (id) => one.get(id) as PeerPet | undefined,
    list({ limit, status, cursor }) {
      const after = positionOf(cursor);
      // One more tells whether there is a next page.
      const rows = status === undefined ? any.all(after, limit + 1) : ofStatus.all(after, status, limit + 1);
      const page = rows.slice(0, limit) as unknown as PeerPet[];
      const last = page.at(-1);
      return { page, link: last && rows.length > limit ? linkTo(last.id, limit, status) : undefined };
    },
  };
}
