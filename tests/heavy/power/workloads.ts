/** What is recorded. A restore has a test of its own, `tests/heavy/power/restore_test.ts`. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { idOf } from "../../../lib/access/key_digest.ts";
import { makeDrafts, toNdjson } from "../../support/server/pet_files.ts";
import { FILE, type Stage } from "./stage.ts";

const STORE = `--store=sqlite:${FILE}`;

async function firstStart(stage: Stage): Promise<void> {
  const serve = stage.useStore(true);
  for (let start = 0; start < 2; start++) {
    await stage.serve(serve);
    const key = Deno.readTextFileSync(join(stage.folder, "data", "api-key")).trim();
    await stage.create(key);
    await stage.list(key);
    await stage.stop();
  }
}

/** Lone creates are committed by the thread that serves, and others by the one that writes. */
async function creates(stage: Stage): Promise<void> {
  await stage.serve(stage.useStore());
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 3; i++) await stage.create();
    await stage.createMany(8);
    await stage.list();
  }
  await stage.stop();
}

async function keys(stage: Stage): Promise<void> {
  await stage.serve(stage.useStore(true));
  const keyOf = async (...args: string[]) => (await stage.run("keys", ...args)).stdout.trim();
  const idOfKey = (key: string) => idOf(createHash("sha256").update(key).digest("hex"));
  const one = await keyOf("add", "--label", "one");
  await stage.create(one);
  const next = await keyOf("rotate", idOfKey(one));
  await stage.create(next);
  for (const key of [one, next]) {
    stage.note({ kind: "revoke", key });
    await stage.run("keys", "revoke", idOfKey(key));
  }
  await stage.stop();
}

async function imports(stage: Stage): Promise<void> {
  const drafts = makeDrafts(300), file = `${stage.folder}.ndjson`;
  stage.useStore();
  for (const part of [drafts.slice(0, 100), drafts.slice(100)]) {
    writeFileSync(file, toNdjson(part));
    stage.note({ kind: "import", names: part.map(({ name }) => name) });
    await stage.run("import", file, STORE);
  }
}

async function backups(stage: Stage): Promise<void> {
  await stage.serve(stage.useStore());
  await stage.createMany(5);
  stage.note({ kind: "backup", file: "copy.db" });
  await Promise.all([stage.run("backup", "copy.db", STORE), stage.create(), stage.create()]);
  await stage.stop();
}

export const WORKLOADS: Record<string, (stage: Stage) => Promise<void>> = {
  "first start": firstStart,
  creates,
  keys,
  import: imports,
  backup: backups,
};
