import assert from "node:assert/strict";
import { test } from "node:test";
import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { withDenoServe } from "../support/http/deno_serve.ts";
import { withPetstore } from "../support/http/raw_petstore.ts";
import { head } from "../support/http/requests.ts";
import { RawSocket } from "../support/http/raw_socket.ts";

for (const part of ["POST /v1/pets HTTP/1.1\r\nHo", head("POST", "/v1/pets", "Content-Length: 29\r\n")]) {
  test(`a client that leaves after ${part.length} bytes does no harm`, () =>
    withPetstore(0, async (petstore) => {
      using socket = await RawSocket.open(petstore);
      await socket.send(part);
    }));
}

test("HEAD is answered without one byte of a body, on paths that exist and on others", () =>
  withPetstore(0, async (petstore) => {
    for (const path of ["/v1/pets", "/v1/pets/1", "/nowhere"]) {
      using socket = await RawSocket.open(petstore);
      await socket.send(head("HEAD", path, "Connection: close\r\n"));
      assert.notEqual((await socket.readResponse())?.headers.get("content-length") ?? "0", "0");
      await socket.readEnd();
    }
  }));

/** Functions of an app that make a WebSocket of their request, and answer in another way. */
const UPGRADING: Record<string, PetstoreOptions> = {
  "a handler that returns the response of the WebSocket": {
    keys: () => ({ id: "ann" }),
    handleStoreOrders: (request) => Deno.upgradeWebSocket(request).response,
  },
  "a handler that returns another response": {
    keys: () => ({ id: "ann" }),
    handleStoreOrders: (request) => Deno.upgradeWebSocket(request) && new Response("[]"),
  },
  "a verifier": { keys: (_, request) => Deno.upgradeWebSocket(request) && false },
};

for (const [what, options] of Object.entries(UPGRADING)) {
  test(`${what}, after it made a WebSocket of a request, does not stop Deno.serve`, () =>
    withDenoServe(createPetstore({ onError: () => {}, ...options }).handle, async (port) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/store/orders`);
      await new Promise((resolve) => socket.onerror = resolve);
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/pets`);
      assert.ok(status === 200 || status === 500, `${status}`);
    }));
}
