/** A restore that is killed. Before each call that changes a file, so at every moment at which the files differ. */

import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStore } from "../../../lib/stores/sqlite/sqlite_store.ts";
import type { KeyedPetStore } from "../../../mod.ts";
import { command, skipUnless, testUnless } from "../../support/system/commands.ts";
import { inFolder, runHere } from "../../support/server/in_process.ts";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { FILE, STORE } from "../../support/server/pet_files.ts";
import { Child } from "../../support/system/child.ts";

const SKIP = skipUnless(["strace"], "the right to trace a process", () => {
  command("strace", "-qq", "-o", "/dev/null", "true");
});

/** Calls that change the name or the length of a file. Between them are only writes and syncs. */
const CALLS = ["unlink", "link,linkat", "rename", "ftruncate"];

const OLD = "Rex,Bo,Max", NEW = "Rex,Bo";

async function add(store: KeyedPetStore, ...names: string[]): Promise<void> {
  for (const name of names) await store.create({ name, categoryId: 7n, status: "sold" });
}

/** Makes a store with a backup, and with a pet that is only in the log, as after SIGKILL. */
async function prepare(folder: string): Promise<void> {
  const path = join(folder, "made.db");
  const store = createSqliteStore(path, { writer: "same-thread" });
  await add(store, "Rex", "Bo");
  const { status, stderr } = await runHere(["backup", "copy.db", "--store=sqlite:made.db"]);
  assert.equal(status, 0, stderr);
  await add(store, "Max");
  for (const end of ["", "-wal"]) copyFileSync(path + end, join(folder, FILE) + end);
  await store.close();
}

/** Restores, and is killed before the call of this number. Not with --seccomp-bpf, with which strace sends no signal. */
async function restoreKilled(folder: string, calls: string, number: number): Promise<boolean> {
  const strace = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${calls}`];
  const inject = ["-e", `inject=${calls}:signal=KILL:when=${number}`];
  const args = [...strace, ...inject, ...serverCommand(), "restore", "copy.db", STORE];
  await using child = new Child("strace", args, { cwd: folder, clearEnv: true, env: environment() });
  return await child.exit() !== 0;
}

async function namesIn(path: string): Promise<string[]> {
  await using store = createSqliteStore(path, { writer: "same-thread" });
  const { json } = await store.list({ after: 0n, limit: 100 });
  return JSON.parse(json).map(({ name }: { name: string }) => name);
}

testUnless(SKIP)(
  "a restore that is killed leaves the old file with its log or the new one, and the next restore succeeds",
  () =>
    inFolder(async (root) => {
      await prepare(root);
      const results = new Set<string>();
      let kills = 0;
      for (const calls of CALLS) {
        for (let number = 1, isKilled = true; isKilled; number++) {
          const folder = join(root, `${calls}-${number}`);
          Deno.mkdirSync(folder);
          for (const name of ["copy.db", FILE, `${FILE}-wal`]) copyFileSync(join(root, name), join(folder, name));
          isKilled = await restoreKilled(folder, calls, number);
          if (isKilled) kills++;
          const names = (await namesIn(join(folder, FILE))).join();
          results.add(names);
          assert.ok(names === OLD || names === NEW, `killed before call ${number} of ${calls}: ${names}`);
          await assertRepeatable(folder);
        }
      }
      assert.equal(results.size, 2, "only one outcome has been seen");
      assert.ok(kills > 5, `only ${kills} kills`);
    }),
);

/** What a killed restore has left does not disturb the next one, and a file that it has kept is sound. */
async function assertRepeatable(folder: string): Promise<void> {
  process.chdir(folder);
  const { status, stderr } = await runHere(["restore", "copy.db", STORE]);
  assert.equal(status, 0, stderr);
  assert.equal((await namesIn(join(folder, FILE))).join(), NEW);
  const kept = readdirSync(folder).filter((name) => /^pets\.db\.[-\dT]+Z$/.test(name));
  assert.ok(kept.length > 0);
  for (const name of kept) {
    using db = new DatabaseSync(join(folder, name));
    assert.deepEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
  }
}
