/**
 * Makes the files and dumps of tests/support/earlier by running the earlier releases, in a repository with its whole history:
 * `deno run -A --no-check tools/earlier.ts`. Only the time until which they remember the request is changed afterwards.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startCluster } from "../tests/support/postgres/cluster.ts";
import { DRIVERS, runSql } from "../tests/support/postgres/postgres.ts";
import { API_KEY, type Earlier, HEADERS, POSTGRES_DUMPS, REX, SQLITE_FILES } from "../tests/support/earlier/earlier.ts";

const HERE = fileURLToPath(new URL("../tests/support/earlier/", import.meta.url));
/** Years from now, in milliseconds since 1970. */
const FAR = Date.UTC(2100);
/** The longest retention that all releases accept. */
const RETENTION = 2 ** 31 - 1;

interface Release {
  createPetstore(options: object): { handle(request: Request): Promise<Response> };
}

function run(command: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8", cwd: HERE });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Runs a release: opens its store by a function of this name, and adds the pet. */
async function createPet({ commit, module, retention }: Earlier, open: string, ...args: unknown[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-"));
  try {
    run(`git -C "$(git rev-parse --show-toplevel)" archive ${commit} | tar x -C ${folder}`);
    const load = (path: string) => import(pathToFileURL(join(folder, path)).href);
    const store = await (await load(module))[open](...args);
    const options = { keys: [API_KEY], store, [retention]: RETENTION };
    const { handle } = (await load("mod.ts") as Release).createPetstore(options);
    const headers = { ...HEADERS, authorization: `Bearer ${API_KEY}` };
    const response = await handle(new Request("http://localhost/v1/pets", { method: "POST", headers, body: REX }));
    if (response.status !== 201) throw new Error(await response.text());
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const each of SQLITE_FILES) {
  rmSync(HERE + each.file, { force: true });
  await createPet(each, "createSqliteStore", HERE + each.file);
  const db = new DatabaseSync(HERE + each.file);
  db.exec(`UPDATE idempotency_keys SET expires_at = ${FAR}`);
  db.close();
}

// The packaged PostgreSQL of the tests has no pg_dump.
const programs = run('dirname "$(ls -d /usr/lib/postgresql/*/bin/pg_dump | tail -n 1)"').trim();
const { port } = await startCluster([], { programs });
const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
for (const each of POSTGRES_DUMPS) {
  await DRIVERS[0]!.use(url, (client) => createPet(each, "createPostgresStore", client));
  await runSql(url, `UPDATE petstore.requests SET expires_at = ${FAR}`);
  const dump = run(`${programs}/pg_dump --no-owner --inserts --schema=petstore '${url}'`);
  // Settings of the session, comments, and empty lines.
  writeFileSync(HERE + each.file, dump.replaceAll(/^(--.*|\\.*|SET .*|SELECT pg_catalog.set_config.*)?\n/gm, ""));
  await runSql(url, "DROP SCHEMA petstore CASCADE");
}
Deno.exit();
