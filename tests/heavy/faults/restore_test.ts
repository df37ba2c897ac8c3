/** The restore drill of docs/data.md, in a shell, with real damage. */

import assert from "node:assert/strict";
import { findBinaries, whyNoCluster } from "../../support/postgres/cluster.ts";
import { withCluster } from "../../support/postgres/servers.ts";
import { blocksOf, readPage } from "../../support/pages.ts";
import { KEY, Ledger } from "../../support/server/ledger.ts";
import { startShell } from "../../support/server/pet_files.ts";
import { type ServerParts, walk, withServer } from "../../support/server/server_process.ts";
import { skipUnless, testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";

const [, DRILL = ""] = /^## Restore drill\n([^]*?)^## /m.exec(`${readPage("docs/data.md")}\n## `) ?? [];

/** Runs a part of the drill. The task needs a checkout, which this folder is not. */
async function runShell(folder: string, script: string, env: Record<string, string>): Promise<string> {
  await using child = startShell(folder, `set -e\n${script.replaceAll("deno task petstore", '"$@"')}`, env);
  assert.equal(await child.exit(), 0, `${child.written.stdout}${child.written.stderr}`);
  return child.written.stdout + child.written.stderr;
}

/**
 * Runs the drill that has this command, and checks that the server has the pets of the backup and
 * takes new ones.
 *
 * @param damage What the check says.
 */
async function drill(
  folder: string,
  parts: ServerParts,
  env: Record<string, string>,
  command: string,
  damage: RegExp,
): Promise<void> {
  const ledger = new Ledger();
  const block = blocksOf(DRILL, "sh").find((text) => text.includes(command)) ?? "";
  const [whileServing = "", afterwards = ""] = block.split(/(?=# Stop the server)/);
  await withServer(folder, parts, async (server) => {
    // There are so many pets that the damaged pages belong to pets.
    for (let i = 0; i < 300; i++) await ledger.create(server, `Rex ${"x".repeat(100)} ${i}`);
    await runShell(folder, whileServing, env);
    assert.equal(await server.stop(), 0);
  });
  const shown = await runShell(folder, afterwards, env);
  assert.match(shown, /^exit status 2$/m);
  assert.match(shown, damage);
  await withServer(folder, parts, async (server) => {
    await ledger.create(server, "After the restore");
    assert.deepEqual(await walk(KEY, server), ledger.inOrder());
  });
}

testUnless(skipUnless(["bash", "dd", "cmp"]))(
  "the restore drill of SQLite leads to the pets of the backup",
  () =>
    withTempFolder((folder) => {
      const parts = { args: [`--key=${KEY}`, "--log=off"] };
      return drill(folder, parts, {}, "dd ", /^petstore: .*(finds damage|data\/petstore\.db is corrupt)/m);
    }),
);

const PROGRAMS = findBinaries(["initdb", "postgres", "pg_ctl", "pg_dump", "pg_restore"]);
const NO_POSTGRES = whyNoCluster() ||
  (PROGRAMS ? skipUnless(["psql"]) : "needs the system's PostgreSQL, with pg_dump");

testUnless(NO_POSTGRES)(
  "the restore drill of PostgreSQL leads to the pets of the backup",
  () =>
    withTempFolder((folder) =>
      withCluster(
        async ({ port }) => {
          const env = { PETSTORE_STORE: `postgres://postgres@127.0.0.1:${port}/postgres` };
          const path = { PATH: `${PROGRAMS}:${Deno.env.get("PATH")}` };
          const parts = { args: [`--key=${KEY}`, "--log=off"], env };
          await drill(folder, parts, { ...env, ...path }, "pg_restore ", /^petstore: .*lacks column pets\.id/m);
        },
        PROGRAMS,
      )
    ),
);
