import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { Child } from "../../support/system/child.ts";
import { type ServerProcess, walk, withFreshServer, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

/** A server and a second connection to its file. */
function withOther(
  use: (server: ServerProcess, other: DatabaseSync, ledger: Ledger, path: string) => Promise<void>,
): Promise<void> {
  return withFreshServer(ON_FILE, async (server, folder) => {
    const path = join(folder, FILE);
    const other = new DatabaseSync(path, { timeout: 5000 });
    try {
      await use(server, other, new Ledger(), path);
    } finally {
      other.close();
    }
  });
}

/** The responses to the three kinds of read, each asked twice: the second response may be a kept one. */
async function read({ ask }: ServerProcess): Promise<[list: unknown[], sold: unknown[], one: string]> {
  let seen: [unknown[], unknown[], string] | undefined;
  for (const _ of ["asked", "asked again"]) {
    const paths = ["/v1/pets?limit=100", "/v1/pets?limit=100&status=sold", "/v1/pets/2"];
    const [list, sold, one] = await Promise.all(paths.map((path) => ask(path, KEY)));
    const now: typeof seen = [JSON.parse(list!.text), JSON.parse(sold!.text), one!.text];
    if (seen) assert.deepEqual(now, seen);
    seen = now;
  }
  return seen!;
}

test("another program's changes show in the next request, and no id comes back", () =>
  withOther(async (server, other, ledger) => {
    for (let count = 0; count < 4; count++) await ledger.create(server);
    const [rex] = ledger.inOrder();
    for (let round = 0; round < 5; round++) {
      const name = `Luna ${round}`;
      const base = { name: "Rex", categoryId: 7 };
      other.exec(`UPDATE pets SET name = '${name}', status = 2 WHERE id = 2`);
      const luna = { id: 2, name, categoryId: 7, status: "sold" };
      const third = { id: 3, ...base, status: "available" };
      assert.deepEqual((await read(server))[0].slice(0, 3), [rex, luna, third]);
      assert.deepEqual((await read(server)).slice(1), [[luna], JSON.stringify(luna)]);

      const { lastInsertRowid: inserted } = other.prepare(
        "INSERT INTO pets (name, category_id, status) VALUES ('Milo', 8, 1)",
      ).run();
      const milo = { id: Number(inserted), name: "Milo", categoryId: 8, status: "pending" };
      assert.deepEqual((await read(server))[0].at(-1), milo);

      const latest = milo.id;
      other.exec(`DELETE FROM pets WHERE id >= ${latest}`);
      assert.deepEqual((await read(server))[0].length, 4 + round);
      await ledger.create(server);
      assert.ok(ledger.pets.has(latest + 1) && !ledger.pets.has(latest), "an id was given again");
    }
  }));

test("no id comes back after another program has deleted every pet, not even after a restart", () =>
  withTempFolder(async (folder) => {
    const ledger = new Ledger();
    for (let round = 0; round < 2; round++) {
      await withServer(folder, ON_FILE, async (server) => {
        for (let count = 0; count < 3; count++) await ledger.create(server);
        const other = new DatabaseSync(join(folder, FILE));
        other.exec("DELETE FROM pets; VACUUM");
        other.close();
        assert.deepEqual(await walk(KEY, server), []);
        await ledger.create(server);
        await server.stop();
      });
    }
    assert.deepEqual([...ledger.pets.keys()], [1, 2, 3, 4, 5, 6, 7, 8]);
  }));

test("creates go on beside a program that writes constantly, and neither loses a row", () =>
  withOther(async (server, _, ledger, path) => {
    const code = `import { existsSync } from "node:fs";
      import { DatabaseSync } from "node:sqlite";
      const db = new DatabaseSync(${JSON.stringify(path)}, { timeout: 5000 });
      const insert = db.prepare("INSERT INTO pets (name, category_id, status) VALUES ('Milo', 8, 1)");
      let count = 0;
      for (; !existsSync(${JSON.stringify(`${path}.stop`)}); count++) {
        insert.run();
        if (count === 0) console.log("writing");
      }
      console.log("wrote", count);`;
    await using writer = new Child(Deno.execPath(), ["eval", "--no-config", code]);
    await writer.printed(/writing/);
    const clients = Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 10; i++) await ledger.create(server);
    });
    await Promise.all(clients);
    Deno.writeTextFileSync(`${path}.stop`, "");
    assert.equal(await writer.ended, 0, writer.written.stderr);
    const pets = await walk(KEY, server);
    const theirs = Number(/wrote (\d+)/.exec(writer.written.stdout)?.[1]);
    assert.equal(pets.filter(({ name }) => name === "Milo").length, theirs);
    assert.deepEqual(pets.filter(({ name }) => name === "Rex"), ledger.inOrder());
    assert.equal(pets.length, theirs + 40);
  }));

test("a program killed in a transaction leaves neither its changes nor its lock", () =>
  withOther(async (server, _, ledger, path) => {
    await ledger.create(server);
    const code = `import { DatabaseSync } from "node:sqlite";
      const db = new DatabaseSync(${JSON.stringify(path)});
      // More than SQLite's cache holds, so that a part is in the log already.
      db.exec(\`PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM pets;
        WITH RECURSIVE n (id) AS (SELECT 10 UNION ALL SELECT id + 1 FROM n LIMIT 9000)
        INSERT INTO pets SELECT id, hex(zeroblob(100)), 8, 1 FROM n\`);
      console.log("in the middle");
      setInterval(() => db.isOpen, 1000);`;
    await using writer = new Child(Deno.execPath(), ["eval", "--no-config", code]);
    await writer.printed(/in the middle/);
    await ledger.assertShown(server);
    await writer.stop("SIGKILL");
    await ledger.create(server);
    await ledger.assertShown(server);
    await server.stop();
    ledger.assertInFile(path);
  }));
