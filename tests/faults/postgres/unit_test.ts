/** docs/petstore-postgres.service: its command serves with the permissions that it grants, and ends as systemd wants it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { kill, startAgain, whyNoCluster } from "../../support/postgres_cluster.ts";
import { exchange } from "../../support/raw_socket.ts";
import { environment } from "../../support/serve_task.ts";
import { validateServerAnswer } from "../../support/server_description.ts";
import { PET } from "../../support/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";
import { end, readUnit, started, unitCommand } from "../../support/unit.ts";
import { KEY, withCluster } from "./support.ts";

const skip = whyNoCluster();
const why = skip ? ` (skipped: ${skip})` : "";

/** Has the driver in Deno's cache, by the command of docs/server.md. */
function cacheDriver(): void {
  const page = readFileSync(new URL("../../../docs/server.md", import.meta.url), "utf8");
  const [, words = ""] = /`DENO_DIR=\S+ deno (cache [^`]*)`/.exec(page) ?? [];
  const { success, stderr } = new Deno.Command(Deno.execPath(), { args: words.split(" ") }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** The unit's command, with a database at another port. The driver comes from the cache that the tests have. */
function start(folder: string, databasePort: number, settings: Record<string, string>): Deno.ChildProcess {
  const [program, ...words] = unitCommand("petstore-postgres.service", 0);
  assert.ok(readUnit("petstore-postgres.service").includes("--allow-net=127.0.0.1:8000,127.0.0.1:5432 "));
  const args = words.map((word) => word.replace(",127.0.0.1:5432", `,127.0.0.1:${databasePort}`));
  const env = { ...environment(), PETSTORE_KEYS: KEY, ...settings };
  return new Deno.Command(program, { args, cwd: folder, clearEnv: true, env, stdout: "piped", stderr: "piped" })
    .spawn();
}

test(
  `the unit's command serves from PostgreSQL, writes no file, and ends with 0, with 1 while it is away, or with 2${why}`,
  { skip },
  () =>
    withCluster((cluster, url) =>
      withTempFolder(async (folder) => {
        cacheDriver();
        const store = { PETSTORE_STORE: url };
        const child = start(folder, cluster.port, store);
        try {
          const port = await started(child);
          const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n`;
          const request = `${head}Content-Length: ${PET.length}\r\n\r\n${PET}`;
          assert.equal((await exchange({ port, validate: validateServerAnswer }, request))?.status, 201);
          child.kill("SIGTERM");
          assert.equal((await child.status).code, 0);
        } finally {
          await end(child);
        }
        assert.deepEqual([...Deno.readDirSync(folder)], []);
        assert.equal((await start(folder, cluster.port, { ...store, PETSTORE_DOCS: "perhaps" }).output()).code, 2);
        kill(cluster);
        assert.equal((await start(folder, cluster.port, store).output()).code, 1);
        startAgain(cluster);
      })
    ),
);
