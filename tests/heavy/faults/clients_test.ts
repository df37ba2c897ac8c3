/**
 * Clients that create pets while the server is killed or a backup runs, the log after a long read, and
 * clients that ask for large files and do not read them.
 */

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { VIEWER_VERSION } from "../../../lib/server/viewer/operations.ts";
import { LOG_LIMIT_BYTES } from "../../../lib/stores/sqlite/open.ts";
import { fill, query } from "../../support/database.ts";
import { RawSocket } from "../../support/http/raw_socket.ts";
import { test } from "../../support/server/in_process.ts";
import { type Asked, FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { STORE } from "../../support/server/pet_files.ts";
import { runCommand, ServerProcess, walk, withFreshServer, withServer } from "../../support/server/server_process.ts";
import { NO_PROC, testUnless } from "../../support/system/commands.ts";
import { until } from "../../support/until.ts";

/** How many clients create pets at the same time. */
const CLIENTS = 16;

/** After how many more acknowledged pets the server is killed, round by round. */
const KILLS = [0, 1, 40, 200, 500];

const CUT = { status: 503, headers: new Headers(), text: '{"code":"store_unavailable"}' };

/** Starts the clients, which go on until `isDone`. */
function startClients(ledger: Ledger, asked: Asked, isDone: () => boolean): Promise<void>[] {
  return Array.from({ length: CLIENTS }, (_, i) => ledger.createOnAndOn([asked], `pet-${i}`, isDone));
}

test.withFolder("SIGKILL under creating clients loses no acknowledged pet, and a create that is repeated afterwards makes no second one", async (folder) => {
  const ledger = new Ledger();
  let server = await ServerProcess.start(folder, ON_FILE);
  let isDone = false;
  // A connection that ends without a response acknowledges nothing, and the client repeats its create.
  const ask: Asked["ask"] = (...request) =>
    server.ask(...request).catch((error) => {
      if (error instanceof TypeError) return CUT;
      throw error;
    });
  try {
    const clients = startClients(ledger, { ask }, () => isDone);
    for (const more of KILLS) {
      const wanted = ledger.pets.size + more;
      await until("acknowledged pets", () => ledger.pets.size >= wanted);
      await server.stop("SIGKILL");
      server = await ServerProcess.start(folder, ON_FILE);
    }
    isDone = true;
    await Promise.all(clients);
    assert.ok(ledger.refused >= KILLS.length, "each kill cut a create");
    assert.deepEqual(await walk(KEY, server), ledger.inOrder());
    assert.equal(await server.stop(), 0);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

test.withFolder("a backup of a large file ends while clients create without pause, and their creates go on while it copies", async (folder) => {
  const path = join(folder, FILE);
  const ledger = new Ledger();
  await withServer(folder, ON_FILE, (server) => server.stop());
  // 50 MB.
  fill(path, 200_000);
  assert.ok(statSync(path).size > 50_000_000);
  await withServer(folder, ON_FILE, async (server) => {
    let isDone = false;
    const clients = startClients(ledger, server, () => isDone);
    await until("creates", () => ledger.pets.size >= 50);
    const before = [...ledger.pets.keys()];
    const done = await runCommand(folder, ["backup", "copy.db", STORE]);
    assert.equal(done.status, 0, done.stderr);
    assert.ok(ledger.pets.size > before.length, "no pet was added meanwhile");
    assert.equal(ledger.refused, 0);
    isDone = true;
    await Promise.all(clients);
    const copied = new Set(query(join(folder, "copy.db"), "SELECT id FROM pets").map(({ id }) => id));
    assert.deepEqual(before.filter((id) => !copied.has(id)), []);
  });
});

test.withFolder("the log that has grown during a long read shrinks when the server writes on", (folder) =>
  withServer(folder, ON_FILE, async (server) => {
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

const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;

testUnless(NO_PROC)(
  "300 connections that ask for a large file again and again and read nothing take little memory",
  () =>
    withFreshServer({ args: ["--key=k", "--store=memory:"] }, async (server) => {
      using sockets = new DisposableStack();
      for (let i = 0; i < 300; i++) {
        const socket = sockets.use(await RawSocket.open(server, 30_000));
        await socket.send(`GET ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5));
      }
      await until("a response begun on each", () => server.written.stdout.split(` ${BUNDLE} `).length > 300);
      for (const path of ["/v1/pets", BUNDLE]) assert.equal((await server.ask(path, "k")).status, 200);
      const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
      // With a copy of the file for each of the connections, it would be 280 MB.
      assert.ok(Number(peak) < 200_000, `${peak} kB`);
    }),
);
