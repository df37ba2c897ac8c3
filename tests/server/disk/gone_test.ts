import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MOUNT_SKIP, withTmpfs } from "../../support/system/disk.ts";
import { assertUnavailable, FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { Child } from "../../support/system/child.ts";
import { command, testUnless } from "../../support/system/commands.ts";

const test = Object.assign(testUnless(false), { mounted: testUnless(MOUNT_SKIP) });

const WAYS: [what: string, take: (path: string) => void][] = [
  ["file is deleted", (path) => rmSync(path)],
  ["file is replaced by a copy of it", (path) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  }],
  ["file is moved away", (path) => renameSync(path, `${path}.moved`)],
  ["file is moved away and copied back", (path) => {
    renameSync(path, `${path}.moved`);
    copyFileSync(`${path}.moved`, path);
  }],
  ["log is deleted", (path) => rmSync(`${path}-wal`)],
];

for (const [what, take] of WAYS) {
  test(`a server whose ${what} acknowledges nothing any more, shows what it had, and is not ready`, () =>
    withTempFolder(async (folder) => {
      const ledger = new Ledger();
      await withServer(folder, ON_FILE, async (server) => {
        for (let count = 0; count < 20; count++) await ledger.create(server);
        take(join(folder, FILE));
        await ledger.assertRefused(server);
        await ledger.assertShown(server);
        assertUnavailable(await server.ask("/readyz", null));
        assert.equal((await server.ask("/livez", null)).status, 200);
        assert.equal(await server.stop(), 0);
      });
    }));
}

test.mounted("a server whose volume is replaced by another leaves the log of that one alone when it ends", () =>
  withTmpfs("16m", (right) =>
    withTmpfs("16m", (wrong) =>
      withTempFolder(async (folder) => {
        const place = join(folder, "data");
        mkdirSync(place);
        const onPlace = { args: [`--key=${KEY}`, "--store=sqlite:data/pets.db", "--log=off"] };
        const ledger = new Ledger();
        await withServer(right, ON_FILE, async (server) => {
          for (let count = 0; count < 3; count++) await ledger.create(server);
          // The pets are in the log, as after a crash.
          await server.stop("SIGKILL");
        });
        // Files on new volumes have the same inode numbers, and SQLite checks nothing else before it deletes a log.
        const mount = (volume: string) => command("mount", "--bind", volume, place);
        mount(wrong);
        let mounted = 1;
        try {
          await withServer(folder, onPlace, async (server) => {
            await new Ledger().create(server);
            mount(right);
            mounted++;
            await ledger.assertRefused(server);
            assert.equal(await server.stop(), 0);
          });
          await withServer(folder, onPlace, (server) => ledger.assertShown(server));
        } finally {
          while (mounted-- > 0) command("umount", place);
        }
      }))));

test("a program that gives up its permission to read acknowledges nothing more, and says why", () =>
  withTempFolder(async (folder) => {
    const module = new URL("../../../lib/stores/sqlite/sqlite_store.ts", import.meta.url).href;
    const code = `import { createSqliteStore } from ${JSON.stringify(module)};
      const store = createSqliteStore("pets.db");
      const pet = { name: "Rex", categoryId: 7n, status: "sold" };
      await store.create(pet);
      Deno.permissions.revokeSync({ name: "read" });
      try { await store.create(pet); } catch (error) { console.log(error.name, error.message); }
      console.log(store.list({ after: 0n, limit: 2 }).json);`;
    const script = join(folder, "program.ts");
    Deno.writeTextFileSync(script, code);
    const args = ["run", "--no-prompt", "--no-config", "--no-check", "--allow-read", "--allow-write=.", script];
    const child = new Child(Deno.execPath(), args, { cwd: folder });
    await child.ended;
    const [refusal, list] = child.written.stdout.split("\n");
    assert.equal(refusal, "StoreUnavailableError Cannot check whether pets.db is still in its place");
    assert.equal(list, '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]', child.written.stderr);
  }));

const UNSTABLE = ["--unstable-net", "--unstable-worker-options"];

const CONFINED: [what: string, store: string, flags: string[], states: string[], files: string[]][] = [
  ["neither read nor write files", "sqlite:pets.db", UNSTABLE, ["prompt", "prompt"], ["pets.db", "program.ts"]],
  ["read files without the unstable flags", "sqlite:pets.db", [], ["granted", "prompt"], ["pets.db", "program.ts"]],
  ["not write files for a database in memory", "sqlite::memory:", UNSTABLE, ["granted", "prompt"], ["program.ts"]],
];

for (const [what, setting, unstable, states, files] of CONFINED) {
  test(`after the start, the server's own isolate may ${what}, and creates and checks go on`, () =>
    withTempFolder(async (folder) => {
      const module = (path: string) => JSON.stringify(new URL(`../../../lib/server/${path}`, import.meta.url).href);
      const code = `import { DENO_STORES } from ${module("deno/stores.ts")};
      import { readStoreSetting } from ${module("store/open_store.ts")};
      import { confine } from ${module("serve.ts")};
      const setting = readStoreSetting("${setting}", () => undefined, DENO_STORES);
      const store = await setting.open();
      await confine(new Set([store]), setting.needsRead);
      const states = ["read", "write"].map((name) => Deno.permissions.querySync({ name }).state);
      const ids = [];
      for (let i = 0; i < 3; i++) ids.push(Number(await store.create({ name: "Rex", categoryId: 7n, status: "sold" })));
      await store.check();
      await store.keys.touch([{ id: "key-x", at: new Date() }]);
      if ((await store.keys.list()).length > 0) throw new Error("There are keys");
      await store.close();
      console.log(JSON.stringify({ states, ids }));`;
      Deno.writeTextFileSync(join(folder, "program.ts"), code);
      const flags = ["--no-prompt", "--no-config", "--no-check", ...unstable];
      const child = new Child(Deno.execPath(), ["run", ...flags, "--allow-read", "--allow-write", "program.ts"], {
        cwd: folder,
      });
      await child.ended;
      assert.equal(child.written.stderr, "");
      assert.deepEqual(JSON.parse(child.written.stdout), { states, ids: [1, 2, 3] });
      // The last connection has written the log back.
      assert.deepEqual(Array.from(Deno.readDirSync(folder), ({ name }) => name).sort(), files);
    }));
}
