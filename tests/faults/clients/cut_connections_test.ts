/** createClient() behind a proxy that cuts connections. */

import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import test from "node:test";
import { createClient, type Pet } from "../../../lib/client/client.ts";
import { createNodeListener } from "../../../lib/hosts/node.ts";
import { createPetstore } from "../../../mod.ts";
import { newSeed, Random } from "../../support/random.ts";

const CONNECTIONS = 3000, CUTS = 1000, CREATES = 1000, CALLERS = 50;
const LARGEST = 2n ** 63n - 1n, SMALLEST = -(2n ** 63n);

/** Where a connection is cut: in the request or in the response, after a part of its bytes; with or without a reset. */
interface Cut {
  isResponse: boolean;
  part: number;
  isReset: boolean;
}

/** Of the connections, which are cut, and where. */
function planCuts(random: Random): (Cut | undefined)[] {
  const plan = Array.from(
    { length: CONNECTIONS },
    (_, number) =>
      number < CUTS
        ? { isResponse: random.oneIn(2), part: random.below(1000) / 1000, isReset: random.oneIn(2) }
        : undefined,
  );
  for (let last = CONNECTIONS - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [plan[last], plan[other]] = [plan[other], plan[last]];
  }
  return plan;
}

/** Connects `client` with a server, and cuts the connection as planned. */
function relay(client: Socket, port: number, cut: Cut | undefined): void {
  const server = connect(port, "127.0.0.1");
  const pass = (from: Socket, to: Socket, isCut: boolean) => {
    from.on("error", () => to.destroy());
    from.on("close", () => to.end());
    from.on("data", (bytes: Buffer) => {
      if (!isCut) return void to.write(bytes);
      from.removeAllListeners("data").resume();
      to.write(bytes.subarray(0, Math.trunc(cut!.part * bytes.length)), () => {
        server.destroy();
        if (cut!.isReset) client.resetAndDestroy();
        else client.destroy();
      });
    });
  };
  pass(client, server, cut?.isResponse === false);
  pass(server, client, cut?.isResponse === true);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Calls `use` so many times, by callers that each make one call at a time. */
async function repeat(times: () => boolean, use: () => Promise<unknown>): Promise<void> {
  const caller = async () => {
    while (times()) await use();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

test(`${CREATES} creates make ${CREATES} pets, though ${CUTS} of ${CONNECTIONS} connections are cut`, async () => {
  const seed = newSeed();
  const plan = planCuts(new Random(seed));
  const http = createHttpServer(createNodeListener(createPetstore({ keys: ["pk_test"] })));
  http.maxRequestsPerSocket = 1;
  const port = await listen(http);
  let connections = 0;
  const proxy = createServer((client) => relay(client, port, plan[connections++]));
  const baseUrl = `http://127.0.0.1:${await listen(proxy)}/v1`;
  // With the default of ten retries, one run in 170 has a create whose attempts are all cut.
  const { pets } = createClient({ baseUrl, key: "pk_test", maxRetries: 40, timeoutMs: 300_000 });
  try {
    let left = CREATES;
    const created: Pet[] = [];
    await repeat(() => left-- > 0, async () => {
      const categoryId = left % 2 === 0 ? LARGEST : SMALLEST;
      const pet = await pets.create({ name: "Rex", categoryId });
      assert.equal(pet.categoryId, categoryId);
      created.push(pet);
    });
    const listed = await Array.fromAsync(pets.list({ limit: 100 }));
    assert.equal(listed.length, CREATES, `seed ${seed}`);
    assert.deepEqual(created.toSorted((a, b) => Number(a.id - b.id)), listed, `seed ${seed}`);
    await repeat(() => connections < CONNECTIONS, async () => {
      const pet = listed[connections % CREATES]!;
      assert.deepEqual(await pets.get(pet.id), pet, `seed ${seed}`);
    });
    assert.ok(connections >= CONNECTIONS);
  } finally {
    await Promise.all([proxy, http].map((server) => new Promise((resolve) => server.close(resolve))));
  }
});
