/**
 * The pets of the peers in an SQLite file, with the settings of the petstore's: a create is one transaction, which is on disk when it
 * ends.
 */

import { DatabaseSync } from "node:sqlite";
import { petAt } from "../catalogue.ts";
import { linkTo, type PeerPet, type PeerPets, positionOf } from "./peer_pages.ts";

const SCHEMA = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pets_of_status ON pets (status);
`;

/** The settings of the process of a peer: its pets, and the database file. */
export interface PeerSettings {
  pets: number;
  path: string;
}

const INSERT = "INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)";

/** Makes a file with this number of pets. */
function createTable({ path, pets }: PeerSettings): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`${SCHEMA}; BEGIN`);
  const insert = db.prepare(INSERT);
  for (let id = 1; id <= pets; id++) {
    const { name, categoryId, status } = petAt(id);
    insert.run(name, categoryId, status);
  }
  db.exec("COMMIT");
  return db;
}

export function openPeerPets({ path, pets }: PeerSettings): PeerPets {
  const db = createTable({ path, pets });
  const insert = db.prepare(INSERT);
  const one = db.prepare("SELECT id, name, categoryId, status FROM pets WHERE id = ?");
  const page = (condition: string) =>
    db.prepare(`SELECT id, name, categoryId, status FROM pets WHERE id > ? ${condition} ORDER BY id LIMIT ?`);
  const any = page(""), ofStatus = page("AND status = ?");
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
