import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { FILE, KEY, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { Child } from "../../../support/system/child.ts";
import { walk, withFreshServer } from "../../../support/server/server_process.ts";

// SQLite's own wait, with its long pauses, would hardly ever get the lock.
test("creates go on beside a program that writes constantly, and neither loses a row", () =>
  withFreshServer(ON_FILE, async (server, folder) => {
    const path = join(folder, FILE);
    const ledger = new Ledger();
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
    const clients = Array.from({ length: 4 }, (_, client) => {
      let left = 10;
      return ledger.createOnAndOn([server], `Rex${client}`, () => left-- === 0);
    });
    await Promise.all(clients);
    Deno.writeTextFileSync(`${path}.stop`, "");
    assert.equal(await writer.ended, 0, writer.written.stderr);
    const pets = await walk(KEY, server);
    const theirs = Number(/wrote (\d+)/.exec(writer.written.stdout)?.[1]);
    assert.equal(pets.filter(({ name }) => name === "Milo").length, theirs);
    assert.deepEqual(pets.filter(({ name }) => name !== "Milo"), ledger.inOrder());
    assert.equal(pets.length, theirs + 40);
    assert.ok(ledger.refused < 40, `${ledger.refused} creates were refused`);
  }));
