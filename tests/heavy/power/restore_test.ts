/** What a restore leaves when it is killed or the power fails, after each of its system calls. */

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "../../../lib/stores/sqlite/create_sqlite_store.ts";
import type { KeyedPetStore } from "../../../lib/stores/store.ts";
import { buildRecorder, RECORDER_SKIP, startRecording } from "./recording.ts";
import { type Losses, Moment, writeState } from "./states.ts";
import { Child } from "../../support/system/child.ts";
import { testUnless } from "../../support/system/commands.ts";
import { inFolder, runHere } from "../../support/server/in_process.ts";
import { environment, serverCommand } from "../../support/server/serve_task.ts";
import { FILE, STORE } from "../../support/server/pet_files.ts";

const LOG = `${FILE}-wal`, JOURNAL = `${FILE}-journal`, OLD = "Rex,Bo,Max", NEW = "Rex,Bo";

async function add(store: KeyedPetStore, ...names: string[]): Promise<void> {
  for (const name of names) await store.create({ name, categoryId: 7n, status: "sold" });
}

/** Makes a store with a backup, and with a pet that is only in the log, as after SIGKILL. */
async function prepare(folder: string): Promise<void> {
  const store = createSqliteStore("made.db", { writerThread: "never" });
  await add(store, "Rex", "Bo");
  const { status, stderr } = await runHere(["backup", join(folder, "copy.db"), "--store=sqlite:made.db"]);
  assert.equal(status, 0, stderr);
  await add(store, "Max");
  for (const end of ["", "-wal"]) copyFileSync(`made.db${end}`, join(folder, FILE) + end);
  await store.close();
}

async function namesIn(path: string): Promise<string> {
  await using store = createSqliteStore(path, { writerThread: "never" });
  const { json } = await store.list({ after: 0n, limit: 100 });
  return JSON.parse(json).map(({ name }: { name: string }) => name).join();
}

/** Each state once: what a kill leaves, and a loss of power. */
function* statesOf(moment: Moment): Generator<Losses> {
  const seen = new Set<string>();
  while (moment.advance().length > 0) {
    for (const losses of moment.losses()) {
      const { key } = moment.stateWithout(losses);
      if (!seen.has(key)) yield losses;
      seen.add(key);
    }
  }
}

/** Records a restore, and checks each state that it may leave, in a folder with its files. Then another restore succeeds. */
async function checkStates(damage: () => void, check: (kept: string | undefined) => Promise<void>): Promise<void> {
  await inFolder(async (root) => {
    mkdirSync("recorded");
    await prepare("recorded");
    process.chdir("recorded");
    damage();
    const recording = startRecording(buildRecorder(root), join(root, "recorded"), join(root, "trace"));
    const [program, ...args] = [...serverCommand(), "restore", "copy.db", STORE];
    const env = { ...environment(), ...recording.env };
    const { status, stderr } = await new Child(program!, args, { clearEnv: true, env }).run();
    assert.equal(status, 0, stderr);
    const moment = new Moment(recording.read());
    let count = 0, place = "";
    for (const losses of statesOf(moment)) {
      place = join(root, String(count++));
      writeState(moment.stateWithout(losses), place);
      process.chdir(place);
      try {
        // The copy until now, once it has its name.
        await check(readdirSync(place).find((name) => /^pets\.db\.[-\dT]+Z$/.test(name)));
        const { status, stderr } = await runHere(["restore", "copy.db", STORE]);
        assert.equal(status, 0, stderr);
        assert.equal(await namesIn(FILE), NEW);
      } catch (error) {
        const lost = [...losses].map((number) => moment.steps[number]!.text);
        throw new Error(`After ${moment.steps[moment.end - 1]!.text}, without ${lost.join(", ")}`, { cause: error });
      }
      process.chdir(root);
      rmSync(place, { recursive: true });
    }
    assert.ok(count > 10, `only ${count} states`);
    writeState(moment.stateWithout(new Set()), "last");
    assert.equal(await namesIn(join("last", FILE)), NEW);
  });
}

const test = testUnless(RECORDER_SKIP);

test("a restore that is killed or loses power leaves the old file with its log, or the new one", async () => {
  const results = new Set<string>();
  await checkStates(() => {}, async (kept) => {
    const hasLog = existsSync(LOG) && statSync(LOG).size > 0;
    const hasJournal = existsSync(JOURNAL) && readFileSync(JOURNAL)[0];
    const { status, stderr } = await runHere(["check", STORE]);
    // SQLite itself rolls back a transaction that was cut short.
    if (!hasJournal) assert.equal(status, 0, stderr);
    const names = await namesIn(FILE);
    results.add(names);
    assert.ok(names === OLD || (names === NEW && !hasLog), names);
    if (names === NEW) assert.equal(await namesIn(kept!), OLD);
  });
  assert.equal(results.size, 2, "only one outcome has been seen");
});

const UNUSABLE: [what: string, damage: () => void][] = [
  ["is missing, with a log", () => rmSync(FILE)],
  ["has the journal of an empty database, which would empty it", () => {
    copyFileSync("copy.db", FILE);
    rmSync(LOG);
    const journal = new DataView(new ArrayBuffer(512));
    journal.setBigUint64(0, 0xd9d505f920a163d7n);
    writeFileSync(`${FILE}-journal`, journal);
  }],
];

for (const [what, damage] of UNUSABLE) {
  test(`a restore of a file that ${what} and that is killed or loses power, leaves both, or the new file, or says so`, async () => {
    let before = () => "";
    const bytes = (name: string) => existsSync(name) ? readFileSync(name, "latin1") : "";
    const both = (name: string) => JSON.stringify(["", "-wal", "-journal"].map((end) => bytes(name + end)));
    const results = new Set<string>();
    await checkStates(() => {
      damage();
      const original = both(FILE);
      before = () => original;
    }, async (kept) => {
      const isOld = both(FILE) === before();
      const { status, stderr } = await runHere(["serve", "--port=0", "--key=k", "--log=off", STORE]);
      const isMarked = /restore of pets\.db was cut short/.test(stderr);
      results.add(status === 0 ? "new" : isMarked ? "marked" : "old");
      assert.equal(status, isOld || isMarked ? 2 : 0, stderr);
      if (status === 0) assert.equal(await namesIn(FILE), NEW);
      if (!isOld) assert.equal(both(kept!), before());
    });
    assert.deepEqual([...results], ["old", "marked", "new"]);
  });
}

test("a restore where there is no file, killed or without power, leaves none or the new one", () =>
  checkStates(() => [FILE, LOG].forEach((name) => rmSync(name)), async () => {
    const isThere = existsSync(FILE);
    const { status } = await runHere(["check", STORE]);
    assert.equal(status, isThere ? 0 : 2);
    if (status === 0) assert.equal(await namesIn(FILE), NEW);
  }));
