/** Command lines as they are typed, and what a store has: pets, in files too, and API keys. */

import assert from "node:assert/strict";
import { join } from "node:path";
import type { PetDraft } from "../../../lib/pet.ts";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import { environment, serverCommand } from "./serve_task.ts";
import { runHere } from "./in_process.ts";
import type { ServerExit, ServerProcess } from "./server_process.ts";
import { until } from "../until.ts";
import { Child } from "../system/child.ts";

export const FILE = "pets.db";
export const STORE = `--store=sqlite:${FILE}`;

/** Pets that differ. */
export function makeDrafts(count: number): PetDraft[] {
  const statuses = ["available", "pending", "sold"] as const;
  return Array.from({ length: count }, (_, i) => (
    { name: `Rex ${i}`, categoryId: BigInt(i % 50), status: statuses[i % 3]! }
  ));
}

/** The line of each pet, which ends with LF. */
export function toNdjson(drafts: readonly PetDraft[]): string {
  return drafts.map(({ name, categoryId, status }) =>
    `{"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}\n`
  ).join("");
}

/** The pets of the store, as {@link toNdjson} writes them, in the order of their ids. */
export async function readPets(folder = "."): Promise<string> {
  const exported = await runHere(["export", `--store=sqlite:${join(folder, FILE)}`]);
  assert.equal(exported.status, 0, exported.stderr);
  return exported.stdout.replaceAll(/^\{"id":\d+,/gm, "{");
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
  await using store = createSqliteStore(join(folder, FILE), { writerThread: "never" });
  // The pets are added at once, so that they share a commit.
  await Promise.all(makeDrafts(count).map((draft) => store.create(draft)));
}

/**
 * Runs a command line as it is typed, with variables before the command. The store is the file,
 * unless the line names another. A character that a word cannot have is percent-encoded.
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

interface ListedKey extends Record<"id" | "label" | "caller" | "state" | "created", string> {
  readOnly: boolean;
  expires?: string;
}

export async function addKey(flags: string): Promise<string> {
  return (await succeed(`keys add ${flags}`)).trim();
}

export async function listKeys(): Promise<ListedKey[]> {
  return JSON.parse(await succeed("keys list --json"));
}

export async function idOf(label: string): Promise<string> {
  return (await listKeys()).findLast((key) => key.label === label)!.id;
}

type Asked = Pick<ServerProcess, "ask">;

export async function statusOf({ ask }: Asked, key: string): Promise<number> {
  return (await ask("/v1/pets", key)).status;
}

/** Waits until a server answers so. It follows within a second; the test waits for longer. */
export function follows(server: Asked, key: string, status: number): Promise<void> {
  return until(`${status}`, async () => await statusOf(server, key) === status);
}
