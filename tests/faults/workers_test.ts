/** Several workers at one port: `--workers`. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { VIEWER_VERSION } from "../../lib/server/viewer/files.ts";
import { Client, type Outcome } from "../support/http/client.ts";
import { withRemoteServer } from "../support/server/remote_server.ts";
import { taskFlags } from "../support/server/serve_task.ts";
import {
  runCommand,
  ServerProcess,
  STARTED,
  walk,
  withFreshServer,
  withServer,
} from "../support/server/server_process.ts";
import { Child } from "../support/system/child.ts";
import { freePort } from "../support/system/free_port.ts";
import { withTempFolder } from "../support/temp.ts";
import { test } from "../support/server/in_process.ts";
import { until } from "../support/until.ts";
import type { Order } from "../support/server/mortal_worker.ts";

const BUNDLE = `/docs/${VIEWER_VERSION}/swagger-ui-bundle.js`;
const ARGS = ["--workers=2", "--key=k", "--store=sqlite:pets.db"];
const MORTAL_SERVER = fileURLToPath(new URL("../support/server/mortal_server.ts", import.meta.url));

test.withFolder("every worker follows the keys of the store, also a key that the settings do not have", (folder) =>
  withServer(folder, { args: ["--workers=2", "--store=sqlite:pets.db"] }, async ({ port }) => {
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await runCommand(folder, ["keys", ...args, "--store=sqlite:pets.db"]);
      assert.equal(status, 0, stderr);
      return stdout.trim();
    };
    const key = await run("add", "--label=ci");
    await withClients(port, async (clients) => {
      const line = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const statuses = async () => (await Promise.all(clients.map((client) => client.send(line)))).map(statusOf);
      await until("200 from all", async () => (await statuses()).every((status) => status === 200));
      await run("revoke", key);
      await until("401 from all", async () => (await statuses()).every((status) => status === 401));
    });
  }));

/** The listening sockets at a port, as Linux lists them. */
function countSockets(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return Deno.readTextFileSync("/proc/net/tcp").split("\n").filter((line) => {
    const [, address, , state] = line.trim().split(/\s+/);
    return address === local && state === "0A";
  }).length;
}

/** Several connections, since Linux chooses the worker for each. */
async function withClients(port: number, use: (clients: Client[]) => Promise<void>): Promise<void> {
  const clients = Array.from({ length: 16 }, () => new Client(port));
  try {
    await use(clients);
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
}

function create(client: Client, name: string): Promise<Outcome> {
  const body = JSON.stringify({ name, categoryId: 7 });
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: ${body.length}\r\n`;
  return client.send(`${head}Idempotency-Key: ${name}\r\n\r\n${body}`);
}

function get(client: Client, path: string): Promise<Outcome> {
  return client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n\r\n`);
}

function statusOf(outcome: Outcome): number | string {
  return outcome.kind === "answered" ? outcome.response.status : outcome.kind;
}

test("two workers listen at one port, and each shows at once what the other has acknowledged", () =>
  withFreshServer({ args: ARGS }, (server) => {
    assert.equal(countSockets(server.port), 2);
    return withClients(server.port, async (clients) => {
      for (const [i, client] of clients.entries()) {
        const created = await create(client, `pet-${i}`);
        assert.equal(statusOf(created), 201);
        const lists = await Promise.all(clients.map((client) => get(client, "/v1/pets?limit=100")));
        for (const list of lists) {
          assert.equal(JSON.parse(list.kind === "answered" ? list.response.text : "").length, i + 1);
        }
      }
      assert.equal(await server.stop(), 0);
      assert.equal(server.written.stderr, "");
    });
  }));

test.withFolder("of several servers with workers that start at one port at the same moment, one runs", async (folder) => {
  const port = await freePort();
  await using children = new AsyncDisposableStack();
  const results = await Promise.all(["one.db", "two.db", "three.db"].map(async (file) => {
    const args = ["--workers=2", "--key=k", `--store=sqlite:${file}`, `--port=${port}`];
    const child = children.use(new ServerProcess(folder, { args }));
    return await Promise.race([
      child.printed(STARTED).then(() => "runs"),
      child.ended.then(() => child.written.stderr),
    ]);
  }));
  assert.equal(countSockets(port), 2);
  assert.equal(results.filter((result) => result === "runs").length, 1, results.join());
  for (const result of results) assert.match(result, /^runs$|^petstore: [^\n]*the port is in use[^\n]*\n$/);
});

/** A server whose worker gets an order at each SIGUSR2. */
async function withMortalServer(
  order: Order["order"],
  use: (child: Child, port: number, folder: string) => Promise<void>,
  flags: string[] = [],
): Promise<void> {
  await withTempFolder(async (folder) => {
    const line = ["run", ...taskFlags(), ...flags, MORTAL_SERVER, ...ARGS, "--port=0", "--log=off", order];
    await using child = new Child(Deno.execPath(), line, { cwd: folder });
    await child.printed(STARTED);
    await use(child, Number(/:(\d+)\/v1$/m.exec(child.written.stdout)?.[1]), folder);
  });
}

/** Waits until the server is ready, with two sockets. That of a dead worker may close later than the next one opens. */
async function untilWhole(port: number): Promise<void> {
  using probe = new Client(port);
  await until("the server ready again", async () => statusOf(await get(probe, "/readyz")) === 200);
  await until("two sockets", () => countSockets(port) === 2);
}

const DEATHS: [order: Order["order"], reason: RegExp][] = [
  ["throw", /^petstore: a worker died and is replaced: Error: told to throw at /m],
  ["reject", /^petstore: a worker died and is replaced: Error: told to reject at /m],
  ["exit", /^petstore: a worker died and is replaced: it ended with status 0$/m],
];

// The order of such events: tests/unit/worker_group_test.ts.
for (const [order, reason] of DEATHS) {
  test(`a worker that dies (${order}) is replaced`, () =>
    withMortalServer(order, async (child, port) => {
      child.kill("SIGUSR2");
      await child.printed(reason, "stderr");
      await untilWhole(port);
    }));
}

test("a worker whose memory is exhausted is replaced under load, and no acknowledged pet is lost", () =>
  withMortalServer("exhaust", async (child, port, folder) => {
    const acknowledged = new Set<string>();
    let isOver = false;
    await withClients(port, async (clients) => {
      const load = Promise.all(clients.map(async (client, i) => {
        for (let n = 0; !isOver; n++) {
          const status = statusOf(await create(client, `pet-${i}-${n}`));
          if (status === 201) acknowledged.add(`pet-${i}-${n}`);
          // The connections of the dead worker end.
          else assert.match(String(status), /^(503|unanswered|unsent|cut|refused)$/);
        }
      }));
      await until("creates", () => acknowledged.size > 50);
      child.kill("SIGUSR2");
      await child.printed(/^petstore: a worker died and is replaced: [^\n]*memory/m, "stderr");
      await untilWhole(port);
      const before = acknowledged.size;
      await until("more creates", () => acknowledged.size > before + 50);
      isOver = true;
      await load;
    });
    await child.stop("SIGKILL");
    await withServer(folder, { args: ARGS }, async (server) => {
      const shown = new Set((await walk("k", server)).map(({ name }) => name));
      assert.deepEqual([...acknowledged].filter((name) => !shown.has(name)), []);
    });
  }, ["--v8-flags=--max-old-space-size=50"]));

test("workers start from an address on the network, as from JSR, and have the files of the page", () =>
  withRemoteServer(ARGS, async ({ child, port }) => {
    assert.equal(countSockets(port), 2);
    await withClients(port, async (clients) => {
      for (const [i, client] of clients.entries()) assert.equal(statusOf(await create(client, `pet-${i}`)), 201);
      assert.equal(statusOf(await get(clients[0]!, "/docs")), 200);
      // Its body is in gzip, and this client reads text.
      assert.equal(statusOf(await clients[0]!.send(`HEAD ${BUNDLE} HTTP/1.1\r\nHost: x\r\n\r\n`)), 200);
    });
    assert.equal(await child.stop(), 0);
    assert.equal(child.written.stderr.replaceAll(/^Download .*\n/gm, ""), "");
  }));

test("a worker is not replaced while the file of the database is gone, and no other file is made", () =>
  withMortalServer("throw", async (child, port, folder) => {
    using client = new Client(port);
    const files = ["pets.db", "pets.db-wal", "pets.db-shm"];
    for (const file of files) Deno.renameSync(`${folder}/${file}`, `${folder}/moved-${file}`);
    child.kill("SIGUSR2");
    await child.printed(/cannot be replaced at the moment: pets\.db [^\n]* moved or replaced/, "stderr");
    assert.deepEqual([...Deno.readDirSync(folder)].filter(({ name }) => files.includes(name)), []);
    for (const file of files) Deno.renameSync(`${folder}/moved-${file}`, `${folder}/${file}`);
    await until("the server ready again", async () => statusOf(await get(client, "/readyz")) === 200);
    assert.equal(statusOf(await create(client, "late")), 201);
  }));

test("a server with a worker that does not respond for ten seconds is not ready", () =>
  withMortalServer("hang", async (child, port) => {
    child.kill("SIGUSR2");
    await child.printed(/^petstore: a worker does not respond\n/m, "stderr");
    // A connection that reaches the other worker gets the response.
    await using clients = new AsyncDisposableStack();
    const responses = Array.from({ length: 16 }, () => get(clients.use(new Client(port)), "/readyz"));
    assert.equal(statusOf(await Promise.any(responses)), 503);
  }));
