/** Standalone servers that share a port and an SQLite file. Deno only. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { serverOpenApiOf } from "../../../tests/support/descriptions.ts";
import { sendAlone } from "../../../tests/support/http/send_alone.ts";
import { createValidatorWithoutPage, OPTIONS } from "../../../tests/support/server/server_description.ts";
import { ServerProcess } from "../../../tests/support/server/server_process.ts";
import type { Ground } from "./ground.ts";
import { KEY } from "./settings.ts";

/** The name of the database in its folder. */
export const FILE = "pets.db";

/** Servers that the caller stops. Their file is emptied as another program would, so a sequence needs no new server. */
export async function startServers(folder: string, count: number): Promise<Ground & { servers: ServerProcess[] }> {
  const args = [`--store=sqlite:${FILE}`, "--reuse-port", "--no-docs", "--log=off"];
  const env = { PETSTORE_KEYS: KEY };
  const first = await ServerProcess.start(folder, { args, env });
  const servers = [first];
  while (servers.length < count) {
    servers.push(await ServerProcess.start(folder, { args: [...args, `--port=${first.port}`], env }));
  }
  const ok = { json: '{"status":"ok"}', isTagged: false };
  const description = { json: JSON.stringify(serverOpenApiOf(OPTIONS)), isTagged: true };
  return {
    servers,
    settings: {
      key: KEY,
      // The server has no setting for it.
      maxBodyBytes: 1024 * 1024,
      open: { "/livez": ok, "/readyz": ok, "/openapi.json": description },
    },
    origin: `http://127.0.0.1:${first.port}`,
    validate: createValidatorWithoutPage(),
    async use(run) {
      using database = new DatabaseSync(join(folder, FILE), { timeout: 5000 });
      database.exec("BEGIN IMMEDIATE; DELETE FROM pets; DELETE FROM idempotency_keys");
      database.exec("DELETE FROM sqlite_sequence; COMMIT");
      // A connection for each request: Linux gives it to any of the servers.
      await run([sendAlone], () => servers.map(({ written }) => written.stderr).join("") || undefined);
    },
  };
}
