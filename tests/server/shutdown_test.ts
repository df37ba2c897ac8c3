import assert from "node:assert/strict";
import { shutDown } from "../../lib/server/serving/shutdown.ts";
import { exchange, RawSocket } from "../support/http/raw_socket.ts";
import { get, head, lengthOf, PET, post } from "../support/http/requests.ts";
import { countPets, withFreshServer, withServer } from "../support/server/server_process.ts";
import { test } from "../support/server/in_process.ts";
import { until } from "../support/until.ts";
import { withVirtualClock } from "../support/virtual_clock.ts";

const LIVEZ = get("/livez");

test("SIGINT ends the server with status 0 though idle connections are open", () =>
  withFreshServer({ args: ["--key=k"] }, async (server) => {
    using used = await RawSocket.open(server);
    using _unused = await RawSocket.open(server);
    await used.send(LIVEZ);
    assert.equal((await used.readResponse())?.status, 200);
    assert.equal(await server.stop("SIGINT"), 0);
    await used.readEnd();
    // A client that was still held would have delayed the end until its time limit, which is reported.
    assert.equal(server.written.stderr, "");
  }));

test.withFolder("a server that is about to end is alive, refuses all new requests with 503, and keeps the pet it was receiving", async (folder) => {
  const origin = "https://app.example";
  await withServer(folder, { args: ["--key=k", `--cors-origin=${origin}`, "--log=json"] }, async (server) => {
    using socket = await RawSocket.open(server);
    // The interim response says that the server is waiting for this body.
    await socket.send(post("", `${lengthOf(PET)}Expect: 100-continue\r\n`));
    assert.equal((await socket.readResponse())?.status, 100);
    const stopped = server.stop();
    // The open request keeps the server from ending. Without a refusal, the guard ends this.
    while ((await server.ask("/readyz", null)).status !== 503);
    assert.equal((await server.ask("/livez", null)).status, 200);
    for (const target of ["/v1/pets", "/readyz", "/"]) {
      for (const method of ["GET", "HEAD", "OPTIONS", "REPORT"]) {
        const response = await exchange(server, head(method, target));
        const seen = [response?.status, response?.headers.get("retry-after"), response?.headers.get("connection")];
        assert.deepEqual(seen, [503, "1", "close"], `${method} ${target}`);
      }
    }
    // Web pages may read it.
    const { headers } = await server.ask("/v1/pets", null, { headers: { origin } });
    assert.equal(headers.get("access-control-allow-origin"), origin);
    await socket.sendRest(PET);
    assert.equal((await socket.readResponse())?.status, 201);
    assert.equal(await stopped, 0);
    assert.match(server.written.stdout, /"status":201,[^\n]*\n[^\n]*"message":"stopped"\}\n$/);
  });
  await withServer(folder, { args: ["--key=k"] }, async (server) => assert.equal(await countPets(server, "k"), 1));
});

test.withFolder("a server that ends answers each create that it has stored, also of requests that a client has sent together", async (folder) => {
  let answered = 0;
  await withServer(folder, { args: ["--key=k", "--faults=delay=1"] }, async (server) => {
    using socket = await RawSocket.open(server);
    await socket.send(post(PET), post(PET), post(PET));
    // The server has the requests, and a fault holds each of them for a second.
    await server.ask("/livez", null);
    const stopped = server.stop();
    for (let response = await socket.readResponse(); response; response = await socket.readResponse()) {
      if (response.status === 201) answered++;
    }
    assert.equal(await stopped, 0);
  });
  await withServer(
    folder,
    { args: ["--key=k"] },
    async (server) => assert.equal(await countPets(server, "k"), answered),
  );
  assert.ok(answered > 0);
});

test("more connections than the process may have open do not end it, however often they come", () =>
  withFreshServer({ args: ["--key=k", "--store=memory:"], limit: "-n 64" }, async (server) => {
    for (let round = 0; round < 3; round++) {
      const sockets: RawSocket[] = [];
      for (let i = 0; i < 80; i++) await RawSocket.open(server).then((socket) => sockets.push(socket), () => {});
      for (const socket of sockets) socket.close();
      // It may have to listen again, which loses waiting connections.
      await until(
        "a response",
        () => exchange(server, LIVEZ).then((response) => response?.status === 200, () => false),
      );
    }
  }));

test("a server ends within ten seconds, and says so, if neither its requests nor its connections end", () =>
  withVirtualClock(async ({ now }) => {
    const reports: string[] = [];
    const never = () => new Promise<void>(() => {});
    const gate = { refuse: never, hold: () => never };
    await shutDown({ gate, listener: { port: 0, stop: never }, report: (line) => reports.push(line) });
    assert.deepEqual(reports, ["stopped before all clients had finished their requests"]);
    // The store is closed afterwards.
    assert.ok(now() <= 8_000, `${now()} ms`);
  }));
