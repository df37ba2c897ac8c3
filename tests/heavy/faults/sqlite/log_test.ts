/** The log after a long read. */

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { LOG_LIMIT_BYTES } from "../../../../lib/stores/sqlite/open.ts";
import { FILE, Ledger, ON_FILE } from "../../../support/server/ledger.ts";
import { withFreshServer } from "../../../support/server/server_process.ts";
import { fill } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";

test("the log that has grown during a long read shrinks when the server writes on", () =>
  withFreshServer(ON_FILE, async (server, folder) => {
    const path = join(folder, FILE);
    const ledger = new Ledger();
    await ledger.create(server);
    using reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM pets");
    // 100 MB.
    fill(path, 100, "hex(zeroblob(500000))");
    const size = () => statSync(`${path}-wal`).size;
    assert.ok(size() > LOG_LIMIT_BYTES, `${size()} bytes are no long log`);
    reader.exec("COMMIT");
    await until("the log is short", async () => {
      await ledger.create(server);
      return size() <= LOG_LIMIT_BYTES;
    });
  }));
