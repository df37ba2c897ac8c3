/** A real nginx with `docs/nginx.conf`, in front of a petstore. Deno on Linux only. */

import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/system/free_port.ts";
import { Child } from "../../support/system/child.ts";
import { command, hasCommand } from "../../support/system/commands.ts";
import type { Endpoint } from "../../support/http/raw_socket.ts";
import { type ServerProcess, withFreshServer } from "../../support/server/server_process.ts";

export interface Nginx extends Endpoint {
  origin: string;
}

/** Values for the marked lines of docs/nginx.conf, by the name in the mark. */
type NginxSettings = Record<string, string>;

/** All clients of this machine share an address, which docs/nginx.conf limits. */
export const UNLIMITED: NginxSettings = {
  rate: "$binary_remote_addr zone=requests:10m rate=100000r/s",
  burst: "zone=requests burst=100000 nodelay",
  connections: "connections 1000",
};

const CONFIGURATION: string = readFileSync(new URL("../../../docs/nginx.conf", import.meta.url), "utf8");

/** An ordinary user's PATH often lacks Debian's folder. */
const NGINX = ["nginx", "/usr/sbin/nginx"].find(hasCommand);

export function whyNoNginx(): string | false {
  if (Deno.build.os !== "linux") return "nginx is tried on Linux only";
  if (NGINX === undefined) return "there is no nginx";
  const hasUser = /^www-data:/m.test(readFileSync("/etc/passwd", "utf8"));
  return Deno.uid() === 0 && !hasUser ? "there is no user www-data" : false;
}

/** Makes sure that nginx is gone when `use` is done. */
export async function withNginx<T>(
  folder: string,
  petstorePort: number,
  settings: NginxSettings,
  use: (nginx: Nginx) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const file = writeConfiguration(folder, {
    petstore: `127.0.0.1:${petstorePort}`,
    listen: `127.0.0.1:${port}`,
    workers: "1",
    ...settings,
  });
  await using child = new Child(NGINX ?? "", ["-e", "stderr", "-c", file, "-g", "daemon off;"]);
  try {
    await child.accepts(port);
    return await use({ port, origin: `http://127.0.0.1:${port}` });
  } finally {
    // SIGTERM does not wait for clients; SIGKILL would leave the workers running.
    await child.stop("SIGTERM");
  }
}

/** An nginx in front of a standalone server that has the key `k` and a memory store. */
export async function withProxy(
  settings: NginxSettings,
  use: (nginx: Nginx, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const parts = { args: ["--key=k", "--store=memory:"] };
  await withFreshServer(
    parts,
    (server, folder) => withNginx(folder, server.port, settings, (nginx) => use(nginx, server)),
  );
}

/** Stops a server, and checks which requests it has logged, such as `GET /v1/pets 200`. */
export async function assertSeen(server: ServerProcess, expected: string[]): Promise<void> {
  assert.equal(await server.stop(), 0);
  const lines = server.written.stdout.matchAll(/^\S+Z 127\.0\.0\.1 (.+) \d+\.\dms$/gm);
  assert.deepEqual(Array.from(lines, ([, request]) => request), expected);
}

/**
 * Turns TLS on in docs/nginx.conf, by the command in the file, if there is a certificate, and
 * changes the marked lines.
 */
function writeConfiguration(folder: string, settings: NginxSettings): string {
  const values: NginxSettings = {
    pid: join(folder, "nginx.pid"),
    error_log: `${join(folder, "error_log")} warn`,
    access_log: `${join(folder, "access_log")} petstore`,
    ...settings,
  };
  for (const [, name = ""] of CONFIGURATION.matchAll(/# set: (\w+_temp_path)$/gm)) values[name] = join(folder, name);
  const file = join(folder, "nginx.conf");
  writeFileSync(file, CONFIGURATION);
  if ("certificate" in settings) {
    const [, turnOn] = / # (sed -i .*) \/etc\/nginx\/nginx\.conf$/m.exec(CONFIGURATION) ?? [];
    command("sh", "-c", `${turnOn} ${file}`);
  }
  let text = readFileSync(file, "utf8");
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^( *\\w+ )[^;\\n]+(; +# set: ${name})$`, "gm");
    assert.equal(text.match(line)?.length, 1, `docs/nginx.conf has not one line marked "set: ${name}"`);
    text = text.replace(line, (_, start, end) => start + value + end);
  }
  // The workers of root's nginx run as another user and look up their folders from here.
  chmodSync(folder, 0o755);
  writeFileSync(file, text);
  return file;
}
