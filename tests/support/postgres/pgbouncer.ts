/** PgBouncer in front of a PostgreSQL. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Child } from "../system/child.ts";
import { skipUnless } from "../system/commands.ts";
import { freePort } from "../system/free_port.ts";
import { withTempFolder } from "../temp.ts";
import { at } from "./servers.ts";

export const NO_PGBOUNCER: string | false = skipUnless(["pgbouncer"]);

/** PgBouncer knows prepared statements since 1.21, as an option. */
const CONFIGURATION = (port: number, database: string, folder: string) => `
[databases]
* = host=127.0.0.1 port=${database} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
default_pool_size = 3
server_login_retry = 0.2
${Deno.uid() === 0 ? "user = nobody" : ""}
`;

/** Starts a PgBouncer in front of a PostgreSQL, with three connections to it, and gives the address of both. */
export function withPooler<T>(direct: string, use: (url: string) => Promise<T>): Promise<T> {
  return withTempFolder(async (folder) => {
    const port = await freePort();
    Deno.chmodSync(folder, 0o755);
    writeFileSync(join(folder, "users"), '"postgres" ""\n');
    writeFileSync(join(folder, "pgbouncer.ini"), CONFIGURATION(port, new URL(direct).port, folder));
    await using child = new Child("pgbouncer", [join(folder, "pgbouncer.ini")]);
    await child.accepts(port);
    return await use(at(direct, `127.0.0.1:${port}`));
  });
}
