/** Standard output and standard error that cannot be written to, or that nobody reads: the server serves, and ends. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free_port.ts";
import { command } from "../support/disk.ts";
import { exchange, RawSocket } from "../support/raw_socket.ts";
import { environment, taskFlags } from "../support/serve_task.ts";
import { validateServerAnswer } from "../support/server_description.ts";
import { withTempFolder } from "../support/temp.ts";

const SERVER = fileURLToPath(new URL("../../server.ts", import.meta.url));

const skip = Deno.build.os === "linux" ? false : "/dev/full and pipes of a known size are Linux's";

/** Starts the server's command by a shell, which sends its output somewhere. */
function start(folder: string, redirection: string, ...args: string[]): Deno.ChildProcess {
  return new Deno.Command("sh", {
    args: ["-c", `exec "$0" "$@" ${redirection}`, Deno.execPath(), "run", ...taskFlags(), SERVER, ...args],
    cwd: folder,
    clearEnv: true,
    env: environment(),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** A server whose output goes there, once it answers. Killed when `use` is done, if it has not ended. */
async function withRedirected(
  folder: string,
  redirection: string,
  use: (server: { port: number; child: Deno.ChildProcess; ended: Promise<Deno.CommandOutput> }) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const child = start(folder, redirection, `--port=${port}`, "--key=k", "--store=sqlite:pets.db");
  const ended = child.output();
  const guard = setTimeout(() => child.kill("SIGKILL"), 20_000);
  try {
    for (let isUp = false; !isUp;) isUp = await isAnswered(port);
    await use({ port, child, ended });
  } finally {
    clearTimeout(guard);
    kill(child, "SIGKILL");
    await ended;
  }
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal = "SIGTERM"): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended.
  }
}

async function isAnswered(port: number): Promise<boolean> {
  try {
    const answer = await exchange({ port, validate: validateServerAnswer }, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    return answer?.status === 200;
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    return false;
  }
}

/** A pipe that is full, and that nobody reads. */
function makeFullPipe(folder: string): { path: string; pipe: Deno.FsFile } {
  const path = join(folder, "pipe");
  command("mkfifo", path);
  const pipe = Deno.openSync(path, { read: true, write: true });
  const page = new Uint8Array(4096);
  // What Linux keeps for a pipe: 16 pages.
  for (let i = 0; i < 16; i++) pipe.writeSync(page);
  return { path, pipe };
}

for (const [name, number] of [["standard output", 1], ["standard error", 2]] as const) {
  test(
    `a server whose ${name} is a full pipe that nobody reads serves, and ends at SIGTERM`,
    { skip },
    () =>
      withTempFolder(async (folder) => {
        const { path, pipe } = makeFullPipe(folder);
        using _ = pipe;
        await withRedirected(folder, `${number}<>${path}`, async ({ port, child, ended }) => {
          // Now each create has a line on standard error, and each request one on standard output.
          Deno.removeSync(join(folder, "pets.db"));
          const body = '{"name":"Rex","categoryId":7}';
          const fields = `Host: x\r\nAuthorization: Bearer k\r\nContent-Length: ${body.length}\r\n\r\n`;
          const server = { port, validate: validateServerAnswer };
          assert.equal((await exchange(server, `POST /v1/pets HTTP/1.1\r\n${fields}${body}`))?.status, 503);
          assert.equal((await exchange(server, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"))?.status, 200);
          child.kill("SIGTERM");
          assert.equal((await ended).code, 0);
        });
      }),
  );
}

test(
  "a server whose standard output is on a full disk says so, serves, and ends at SIGTERM",
  { skip },
  () =>
    withTempFolder((folder) =>
      withRedirected(folder, ">/dev/full", async ({ child, ended }) => {
        child.kill("SIGTERM");
        const { code, stderr } = await ended;
        assert.equal(code, 0);
        const line = new TextDecoder().decode(stderr);
        assert.match(line, /^petstore: standard output cannot be written: No space left [^\n]+\n$/);
      })
    ),
);

test(
  "--help whose standard output is on a full disk says so and ends with status 1",
  { skip },
  () =>
    withTempFolder(async (folder) => {
      const { code, stderr } = await start(folder, ">/dev/full", "--help").output();
      const line = new TextDecoder().decode(stderr);
      assert.match(line, /^petstore: standard output cannot be written: No space left [^\n]+\n$/);
      assert.equal(code, 1);
    }),
);

test(
  "a second SIGTERM ends a server at once that waits for a client, with status 1",
  { skip },
  () =>
    withTempFolder((folder) =>
      withRedirected(folder, "", async ({ port, child, ended }) => {
        using socket = await RawSocket.open({ port, validate: validateServerAnswer }, 30_000);
        const head = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: 9\r\n";
        await socket.send(`${head}Expect: 100-continue\r\n\r\n`);
        assert.equal((await socket.readResponse())?.status, 100);
        let isOver = false;
        const { code } = await Promise.race([
          ended.finally(() => isOver = true),
          (async () => {
            while (!isOver) {
              child.kill("SIGTERM");
              await new Promise((resolve) => setTimeout(resolve, 100));
            }
            return await ended;
          })(),
        ]);
        // The first alone would have waited for the body, and ended with 0.
        assert.equal(code, 1);
      })
    ),
);
