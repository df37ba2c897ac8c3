import assert from "node:assert/strict";
import { join } from "node:path";
import { freePort } from "../support/system/free_port.ts";
import { post } from "../support/http/requests.ts";
import { RawSocket } from "../support/http/raw_socket.ts";
import { startShell } from "../support/server/pet_files.ts";
import { addPet, serverAt } from "../support/server/server_process.ts";
import { until } from "../support/until.ts";
import { withTempFolder } from "../support/temp.ts";
import { command, NO_PROC, testUnless } from "../support/system/commands.ts";
import type { Child } from "../support/system/child.ts";

const test = testUnless(NO_PROC);

async function withRedirected(
  folder: string,
  redirection: string,
  use: (port: number, child: Child) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  await using child = startShell(folder, `exec "$@" --port=${port} --key=k --store=sqlite:pets.db ${redirection}`);
  await child.accepts(port);
  await until("the start", async () => (await serverAt(port).ask("/readyz", null)).status === 200);
  await use(port, child);
}

test("a server whose outputs are a full pipe without a reader serves, and ends at SIGTERM", () =>
  withTempFolder(async (folder) => {
    const path = join(folder, "pipe");
    command("mkfifo", path);
    using pipe = Deno.openSync(path, { read: true, write: true });
    // Linux keeps 16 pages for a pipe.
    for (let i = 0; i < 16; i++) pipe.writeSync(new Uint8Array(4096));
    await withRedirected(folder, `1<>${path} 2<>${path}`, async (port, child) => {
      // Now each create writes to standard error, and each request to standard output.
      Deno.removeSync(join(folder, "pets.db"));
      const { ask } = serverAt(port);
      await assert.rejects(addPet({ ask }, "k"), /answered with 503/);
      assert.equal((await ask("/livez", null)).status, 200);
      assert.equal(await child.stop(), 0);
    });
  }));

test("a server whose standard output is on a full disk says so, serves, and ends at SIGTERM", () =>
  withTempFolder((folder) =>
    withRedirected(folder, ">/dev/full", async (_port, child) => {
      assert.equal(await child.stop(), 0);
      assert.match(child.written.stderr, /^petstore: standard output cannot be written: [^\n]*no space left[^\n]*\n$/i);
    })
  ));

test("a second SIGTERM ends a server at once that waits for a client, with status 1", () =>
  withTempFolder((folder) =>
    withRedirected(folder, "", async (port, child) => {
      using socket = await RawSocket.open({ port }, 30_000);
      await socket.send(post("", "Content-Length: 9\r\nExpect: 100-continue\r\n"));
      assert.equal((await socket.readResponse())?.status, 100);
      const again = setInterval(() => child.kill("SIGTERM"), 100);
      // After one signal it would have waited for the body and exited with 0.
      assert.equal(await child.exit().finally(() => clearInterval(again)), 1);
    })
  ));

for (const line of ["openapi", "help", "keys add --label=ci"]) {
  test(`${line} has the status 1 if its result cannot be printed`, () =>
    withTempFolder(async (folder) => {
      await using child = startShell(folder, `exec "$@" ${line} >/dev/full`);
      assert.equal(await child.exit(), 1);
      assert.match(child.written.stderr, /^petstore: standard output cannot be written: .*$/m);
    }));
}

test("a key that cannot be printed, because the reader of the pipe has ended, is no success", () =>
  withTempFolder(async (folder) => {
    await using child = startShell(folder, `"$@" keys add --label=ci | true; exit \${PIPESTATUS[0]}`);
    assert.equal(await child.exit(), 1);
    assert.match(
      child.written.stderr,
      /^petstore: key-[0-9a-f]{12} \(ci\) was added, but cannot be printed; revoke it/m,
    );
  }));
