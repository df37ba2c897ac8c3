/**
 * The pets of the peers in an SQLite file, with the settings of the petstore's: a create is one
 * transaction, which is on disk when it ends. The pages have the petstore's links.
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { PetStatus } from "../../mod.ts";
import { type BenchPet, petAt } from "../catalogue.ts";
import { readSettings } from "./host.ts";

/** A pet, with its members in the order of the petstore's JSON. */
export interface PeerPet extends BenchPet {
  id: number;
}

/** A query; frameworks may pass `undefined` for a missing parameter. */
export interface PeerQuery {
  limit: number;
  status?: PetStatus | undefined;
  cursor?: string | undefined;
}

/** A page, and the value of its Link header unless it is the last. */
export interface PeerPage {
  page: PeerPet[];
  link: string | undefined;
}

const { path, pets } = readSettings<{ path: string; pets: number }>();
const isNew = !existsSync(path);
const db = new DatabaseSync(path);
db.exec(`
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_of_status ON pets (status);
`);
const insert = db.prepare("INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)");
const one = db.prepare("SELECT id, name, categoryId, status FROM pets WHERE id = ?");
const any = db.prepare("SELECT id, name, categoryId, status FROM pets WHERE id > ? ORDER BY id LIMIT ?");
const ofStatus = db.prepare(
  "SELECT id, name, categoryId, status FROM pets WHERE id > ? AND status = ? ORDER BY id LIMIT ?",
);
if (isNew) {
  db.exec("BEGIN");
  for (let id = 1; id <= pets; id++) createPet(petAt(id));
  db.exec("COMMIT");
}

export function createPet({ name, categoryId, status }: BenchPet): PeerPet {
  return { id: Number(insert.run(name, categoryId, status).lastInsertRowid), name, categoryId, status };
}

export function getPet(id: number): PeerPet | undefined {
  return one.get(id) as PeerPet | undefined;
}

export function listPets({ limit, status, cursor }: PeerQuery): PeerPage {
  const after = cursor === undefined ? 0 : Number(atob(cursor).slice("after:".length));
  // One more tells whether there is a next page.
  const rows = status === undefined ? any.all(after, limit + 1) : ofStatus.all(after, status, limit + 1);
  const page = rows.slice(0, limit) as unknown as PeerPet[];
  const last = page.at(-1);
  if (last === undefined || rows.length <= limit) return { page, link: undefined };
  const next = btoa(`after:${last.id}`).replaceAll("=", "");
  const filter = status === undefined ? "" : `&status=${status}`;
  return { page, link: `</v1/pets?limit=${limit}${filter}&cursor=${next}>; rel="next"` };
}
