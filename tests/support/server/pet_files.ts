/** Pets in files, and what a store has. */

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { PetStatus } from "../../../lib/pet.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { environment, serverCommand } from "./serve_task.ts";
import { runHere } from "./in_process.ts";
import type { ServerExit } from "./server_process.ts";
import { Child } from "../system/child.ts";

export const FILE = "pets.db";
export const STORE = `--store=sqlite:${FILE}`;

/** The statuses, in the order of their numbers in a file. */
const STATUSES: readonly PetStatus[] = ["available", "pending", "sold"];

export interface Draft {
  name: string;
  categoryId: bigint;
  status: PetStatus;
}

/** Drafts that differ, from number `first`. */
export function makeDrafts(count: number, first = 0): Draft[] {
  return Array.from({ length: count }, (_, i) => {
    const number = first + i;
    return { name: `Rex ${number}`, categoryId: BigInt(number % 50), status: STATUSES[number % 3]! };
  });
}

/** The line of a pet, which ends with LF. */
export function toNdjson(drafts: readonly Draft[]): string {
  return drafts.map(({ name, categoryId, status }) =>
    `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}\n`
  ).join("");
}

/** The pets in the file of the store, in the order of their ids, which ascend. */
export function readDrafts(folder: string, file = FILE): Draft[] {
  using db = new DatabaseSync(join(folder, file));
  const statement = db.prepare("SELECT name, category_id, status FROM pets ORDER BY id");
  statement.setReadBigInts(true);
  return statement.all().map(({ name, category_id, status }) => ({
    name: String(name),
    categoryId: category_id as bigint,
    status: STATUSES[Number(status)]!,
  }));
}

export function countPets(folder: string): number {
  using db = new DatabaseSync(join(folder, FILE));
  return Number(db.prepare("SELECT count(*) AS count FROM pets").get()?.["count"]);
}

/** Runs the command import on a file of the working directory, which is written first if its content is given, and on a store. */
export async function importFile(
  folder: string,
  name: string,
  content: string | Uint8Array | undefined,
  ...flags: string[]
): Promise<ServerExit> {
  if (content !== undefined) writeFileSync(join(folder, name), content);
  if (!flags.includes("--dry-run") && !existsSync(join(folder, FILE))) await makeStore(0, folder);
  return await runHere(["import", name, STORE, ...flags]);
}

/** Fails unless a command printed this on standard output and nothing else. */
export function assertPrinted({ status, stdout, stderr }: ServerExit, wanted: string): void {
  assert.deepEqual([status, stderr, stdout], [0, "", `${wanted}\n`]);
}

/** Fails unless a command printed one line on standard error, and nothing else. */
export function assertRefused({ status, stdout, stderr }: ServerExit, shows: string | RegExp, wanted = 2): void {
  assert.match(stderr, /^petstore: [^\n]+\n$/);
  assert.ok(typeof shows === "string" ? stderr.includes(shows) : shows.test(stderr), `not ${shows}: ${stderr}`);
  assert.deepEqual([status, stdout], [wanted, ""], stderr);
}

/** Makes a store with so many pets. */
export async function makeStore(count: number, folder = "."): Promise<void> {
  const store = createSqliteStore(join(folder, FILE), { writerThread: "never" });
  // The pets are added at once, so that they share a commit.
  const drafts = Array.from(
    { length: count },
    (_, i) => ({ name: `Rex ${i}`, categoryId: 7n, status: "sold" as const }),
  );
  await Promise.all(drafts.map((draft) => store.create(draft)));
  await store.close();
}

/**
 * Runs a command line as it is typed, with variables before the command. The store is the file, unless the line names another. A character
 * that a word cannot have is percent-encoded.
 */
export async function runLine(line: string): Promise<ServerExit> {
  const words = line.split(" ").map(decodeURIComponent);
  const isVariable = (word: string) => /^[A-Z_]+=/.test(word);
  const variables = words.filter(isVariable).map((word) => [word.split("=", 1)[0], word.slice(word.indexOf("=") + 1)]);
  const env = { PORT: "0", PETSTORE_STORE: `sqlite:${FILE}`, ...Object.fromEntries(variables) };
  return await runHere(words.filter((word) => !isVariable(word)), env);
}

/** Runs a command line that must succeed. Resolves to its standard output. */
export async function succeed(line: string): Promise<string> {
  const { status, stdout, stderr } = await runLine(line);
  assert.equal(status, 0, `${line}: ${stderr}`);
  return stdout;
}

/** Runs a command line that must fail with one line. */
export async function refuse(line: string, shows: string | RegExp, status?: number): Promise<void> {
  assertRefused(await runLine(line), shows, status);
}

/** Starts a script of a shell in which "$@" is the program, and $? its status. */
export function startShell(folder: string, script: string, env: Record<string, string> = {}): Child {
  return new Child("bash", ["-c", script, "bash", ...serverCommand()], {
    cwd: folder,
    clearEnv: true,
    env: { ...environment(), ...env },
  });
}
