import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { search } from "./search.ts";
import { FILE, startServers } from "./standalone.ts";
import { Tally } from "./tally.ts";

test("two servers on one port and one file answer random requests as predicted, and the search finds a defect", () =>
  withTempFolder(async (folder) => {
    const ground = await startServers(folder, 2);
    await using stack = new AsyncDisposableStack();
    for (const server of ground.servers) stack.use(server);
    const tally = new Tally();
    const extent = { tally, seed: 20301205, sequences: 12 };
    const finding = await search(ground, extent);
    assert.ok(!finding, finding && `${finding.text} --servers 2`);
    assert.ok(tally.requests > 200, `only ${tally.requests} requests were sent`);

    using database = new DatabaseSync(join(folder, FILE), { timeout: 5000 });
    database.exec("CREATE TRIGGER defect AFTER INSERT ON pets BEGIN UPDATE pets SET name = 'Max'; END");
    assert.match((await search(ground, extent))?.problem ?? "", /the body is .*"Max".*, foretold was/);
    for (const server of ground.servers) {
      assert.equal(await server.stop(), 0);
      assert.equal(server.written.stderr, "");
    }
  }));
