/** createNodeListener() after a middleware that has touched the body of the request: paused it, made text of it, or begun to read it. */

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { createPetstore } from "../../mod.ts";
import { head, KEY, type Listener, WITH_KEY, withServer } from "../support/http/node_exchange.ts";

const PET = '{"name":"Rex","categoryId":9007199254740993}';

/** A body whose first half comes with the head, in each of its framings. */
const FRAMINGS = [
  { field: `Content-Length: ${PET.length}`, first: PET.slice(0, 20), rest: PET.slice(20) },
  {
    field: "Transfer-Encoding: chunked",
    first: `14\r\n${PET.slice(0, 20)}\r\n`,
    rest: `18\r\n${PET.slice(20)}\r\n0\r\n\r\n`,
  },
];

function headWith(framing: string): string {
  return head("POST /v1/pets", ...WITH_KEY, framing);
}

/**
 * Adds a pet in each framing, to a petstore and to a wrapped handle, where `touch` comes before the listener. The second half of the body is
 * sent when the listener has been called.
 *
 * @returns The statuses, and the messages that `onError` got.
 */
async function addTouched(touch: (request: IncomingMessage) => void): Promise<{ statuses: string[]; told: string[] }> {
  const statuses: string[] = [], told: string[] = [];
  const petstore = createPetstore({ keys: [KEY], onError: ({ error }) => told.push(String(error)) });
  for (const service of [petstore, { handle: (request: Request) => petstore.handle(request) }]) {
    const servePetstore = createNodeListener(service);
    for (const { field, first, rest } of FRAMINGS) {
      let sendRest = () => {};
      const listener: Listener = (request, response) => {
        touch(request);
        servePetstore(request, response);
        // A middleware that reads has had its turn by then.
        setImmediate(() => sendRest());
      };
      const received = await withServer(listener, async (open) => {
        const socket = open(headWith(field) + first);
        sendRest = () => socket.write(rest);
        return (await Array.fromAsync(socket)).join("");
      });
      statuses.push(received.slice(9, 12));
      if (received.startsWith("HTTP/1.1 201")) assert.match(received, /"categoryId":9007199254740993/);
    }
  }
  return { statuses, told };
}

test("a request that a middleware has paused is read all the same", async () => {
  assert.deepEqual((await addTouched((request) => request.pause())).statuses, ["201", "201", "201", "201"]);
});

test("a body whose pieces have all arrived while a middleware waited is read as a whole", async () => {
  const { field, first, rest } = FRAMINGS[0]!;
  const servePetstore = createNodeListener(createPetstore({ keys: [KEY] }));
  let sendRest = () => {};
  const listener: Listener = (request, response) => {
    sendRest();
    const waitForAll = () => {
      // This asks for what has arrived, and takes none of it.
      request.read(0);
      if (request.readableLength < PET.length) setImmediate(waitForAll);
      else servePetstore(request, response);
    };
    waitForAll();
  };
  const received = await withServer(listener, async (open) => {
    const socket = open(headWith(field) + first);
    sendRest = () => socket.write(rest);
    return (await Array.fromAsync(socket)).join("");
  });
  assert.match(received, /^HTTP\/1\.1 201 [^]*"categoryId":9007199254740993/);
});

test("a body of which setEncoding() makes text gets 500, and neither ends the process nor counts as empty", async () => {
  const { statuses, told } = await addTouched((request) => request.setEncoding("utf8"));
  assert.deepEqual(statuses, ["500", "500", "500", "500"]);
  for (const message of told) assert.match(message, /body has already been read/);
});

test("a body that another listener reads at the same time is whole or gets 500, and never looks malformed", async () => {
  const { statuses, told } = await addTouched((request) => request.on("data", () => {}));
  assert.ok(statuses.every((status) => status === "201" || status === "500"), String(statuses));
  assert.equal(told.length, statuses.filter((status) => status === "500").length);
  for (const message of told) assert.match(message, /body has already been read/);
});
