/** What is recorded. A restore has a test of its own, `tests/heavy/power/restore_test.ts`. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDrafts, toNdjson } from "../../support/server/pet_files.ts";
import { FILE, type Stage } from "./stage.ts";

const STORE = `--store=sqlite:${FILE}`;

async function firstStart(stage: Stage): Promise<void> {
  stage.note({ kind: "store", path: "data/petstore.db", serve: ["--log=off"] });
  for (let start = 0; start < 2; start++) {
    const server = await stage.serve("--log=off");
    const key = Deno.readTextFileSync(join(stage.folder, "data", "api-key")).trim();
    await stage.create(server, key);
    await stage.list(server, key);
    await stage.stop(server);
  }
}

/** Lone creates are committed by the thread that serves, and others by the one that writes. */
async function creates(stage: Stage): Promise<void> {
  const server = await stage.serve(...stage.useStore());
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 3; i++) await stage.create(server);
    await stage.createMany(server, 8);
    await stage.list(server);
  }
  await stage.stop(server);
}

async function keys(stage: Stage): Promise<void> {
  stage.note({ kind: "store", path: "data/petstore.db", serve: ["--log=off"] });
  const server = await stage.serve("--log=off");
  const add = async (label: string) => (await stage.run("keys", "add", "--label", label)).stdout.trim();
  const idOf = async (label: string): Promise<string> => {
    const listed = JSON.parse((await stage.run("keys", "list", "--json")).stdout);
    return listed.findLast((key: { label: string }) => key.label === label).id;
  };
  const revoke = async (id: string) => {
    stage.note({ kind: "revoke", id });
    await stage.run("keys", "revoke", id);
  };
  const [one] = [await add("one"), await add("two")];
  const first = await idOf("one");
  await stage.create(server, one);
  await stage.run("keys", "rotate", first);
  await stage.create(server, one);
  await revoke(first);
  await revoke(await idOf("two"));
  const last = await add("three");
  await stage.create(server, last);
  await stage.stop(server);
}

async function imports(stage: Stage): Promise<void> {
  const drafts = makeDrafts(4_500), file = `${stage.folder}.ndjson`;
  stage.useStore();
  for (const part of [drafts.slice(0, 2_500), drafts.slice(2_500)]) {
    const text = toNdjson(part);
    writeFileSync(file, text);
    stage.note({ kind: "import", text, names: part.map(({ name }) => name) });
    await stage.run("import", file, STORE);
  }
}

async function backups(stage: Stage): Promise<void> {
  const server = await stage.serve(...stage.useStore());
  await stage.createMany(server, 5);
  for (const file of ["one.db", "two.db"]) {
    stage.note({ kind: "backup", file });
    await Promise.all([stage.run("backup", file, STORE), stage.create(server), stage.create(server)]);
  }
  await stage.stop(server);
}

export const WORKLOADS: Record<string, (stage: Stage) => Promise<void>> = {
  "first start": firstStart,
  creates,
  keys,
  import: imports,
  backup: backups,
};
