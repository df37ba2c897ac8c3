import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { FILE, KEY, Ledger, ON_FILE } from "../../support/server/ledger.ts";
import { type ServerProcess, withServer } from "../../support/server/server_process.ts";
import { withTempFolder } from "../../support/temp.ts";

/** Two servers, started at the same moment on a file that does not exist yet. */
async function withTwo(use: (a: ServerProcess, b: ServerProcess, ledger: Ledger) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const ledger = new Ledger();
    const first = Promise.withResolvers<ServerProcess>();
    const done = Promise.withResolvers<void>();
    await Promise.all([
      withServer(folder, ON_FILE, async (server) => {
        first.resolve(server);
        await done.promise;
      }).catch(first.reject),
      withServer(folder, ON_FILE, async (b) => await use(await first.promise, b, ledger)).finally(done.resolve),
    ]);
    ledger.assertInFile(join(folder, FILE));
  });
}

/** Reads on, so that the server is never idle and uses its kept responses. */
async function readOn({ ask }: ServerProcess, isDone: () => boolean): Promise<void> {
  while (!isDone()) assert.equal((await ask("/v1/pets?limit=100", KEY)).status, 200);
}

test("a pet that one server has acknowledged is shown by the other in the next request, while both are busy", () =>
  withTwo(async (a, b, ledger) => {
    let isDone = false;
    const load = Promise.all([a, b].flatMap((server) => [0, 1, 2].map(() => readOn(server, () => isDone))));
    try {
      for (let count = 0; count < 99; count++) {
        const [writer, reader] = count % 2 === 0 ? [a, b] : [b, a];
        await ledger.create(writer, `Rex ${count}`);
        const list = `[${[...ledger.pets.values()].join(",")}]`;
        const id = [...ledger.pets.keys()].at(-1);
        assert.equal((await reader.ask("/v1/pets?limit=100", KEY)).text, list);
        assert.equal((await reader.ask(`/v1/pets/${id}`, KEY)).text, ledger.pets.get(id!));
        assert.equal((await reader.ask("/v1/pets?limit=100&status=available", KEY)).text, list);
      }
    } finally {
      isDone = true;
      await load;
    }
  }));
