/** `POST /reset` brings a store in memory back to its start, where the operator allows it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withFreshServerHere } from "../support/server/in_process.ts";
import { RawSocket } from "../support/http/raw_socket.ts";
import { countPets, request } from "../support/server/server_process.ts";

const KEY = "pk_test";
const MEMORY = ["--store=memory:", `--key=${KEY}`, "--seed=3"];

test("a reset removes the added pets and the remembered requests, and brings the sample pets back", () =>
  withFreshServerHere({ args: [...MEMORY, "--allow-reset"] }, async (server) => {
    assert.match(server.written.stderr, /POST \/reset with a key that may write removes every pet/);
    const send = async (method: string, path: string, body?: string) => {
      const headers = { "content-type": "application/json", ...body && { "idempotency-key": '"one"' } };
      const { status, text } = await request(
        server.origin + path,
        KEY,
        { method, headers, body: body ?? null },
      );
      return { status, text };
    };
    /** All pets, and those of each status. The second answer is kept, and the third one comes from the cache. */
    const list = async () => {
      const queries = ["", "?status=available", "?status=pending", "?status=sold"];
      return await Promise.all(queries.map((query) => send("GET", `/v1/pets${query}`)));
    };
    const seeded = await list();
    for (let i = 0; i < 2; i++) assert.deepEqual(await list(), seeded);
    for (let round = 0; round < 2; round++) {
      const { status, text } = await send("POST", "/v1/pets", `{"name":"Zoë ${round}","categoryId":7}`);
      assert.equal(status, 201, text);
      assert.equal(JSON.parse(text).id, 4);
      assert.notDeepEqual(await list(), seeded);
      for (let i = 0; i < 3; i++) assert.equal((await send("GET", "/v1/pets/4")).status, 200);
      assert.deepEqual(await send("POST", "/reset"), { status: 204, text: "" });
      assert.deepEqual(await list(), seeded);
      assert.deepEqual((await send("GET", "/v1/pets/4")).status, 404);
    }
  }));

test("a request that came before a reset adds no pet after it: one that a fault delays, and one whose body is on its way", () => {
  const args = [...MEMORY, "--allow-reset", "--faults=delay=1,delayMs=1000,operations=createPet,times=1"];
  return withFreshServerHere({ args }, async (server) => {
    const send = (method: string, path: string, body: string | null = null) =>
      request(server.origin + path, KEY, { method, headers: { "content-type": "application/json" }, body });
    const create = () => send("POST", "/v1/pets", '{"name":"Early","categoryId":7}');
    // Only one of the two is delayed. When the other has its response, the delayed one has surely come.
    const both = [create(), create()];
    await Promise.race(both);
    using slow = await RawSocket.open(server);
    const body = '{"name":"Slow","categoryId":7}';
    await slow.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    // The server asks for the body, so it has begun to read it.
    assert.equal((await slow.readResponse())?.status, 100);
    assert.equal((await send("POST", "/reset")).status, 204);
    await slow.sendRest(body);
    assert.equal((await slow.readResponse())?.status, 201);
    for (const { status } of await Promise.all(both)) assert.equal(status, 201);
    assert.equal(await countPets(server, KEY), 3);
  });
});

test("after a reset, the faults begin again", () => {
  const args = [...MEMORY, "--allow-reset", "--faults=unavailable=0.5,times=3,operations=listPets"];
  return withFreshServerHere({ args }, async (server) => {
    const draw = async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) statuses.push((await server.ask("/v1/pets", KEY)).status);
      await server.ask("/reset", KEY, { method: "POST" });
      return statuses;
    };
    const first = await draw();
    assert.equal(first.filter((status) => status === 503).length, 3);
    for (let round = 0; round < 2; round++) assert.deepEqual(await draw(), first);
  });
});

for (
  const [what, flags, key, expected] of [["needs a key", ["--allow-reset"], "pk_other", 401], [
    "does not exist unless it is allowed",
    [],
    KEY,
    404,
  ]] as const
) {
  test(`a reset ${what}`, () =>
    withFreshServerHere({ args: [...MEMORY, ...flags] }, async (server) => {
      const { status } = await request(`${server.origin}/reset`, key, { method: "POST" });
      assert.deepEqual([status, await countPets(server, KEY)], [expected, 3]);
    }));
}
