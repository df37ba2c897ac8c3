/** Requests that Node cannot read, or reads against RFC 9112: the server on Node refuses each with an Error body. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { AUTHORIZATION, CHUNKED, get, head, HEADERS, HOST, PET, post } from "../support/http/requests.ts";
import { RawSocket } from "../support/http/raw_socket.ts";
import { ON_NODE } from "../support/server/serve_task.ts";
import { withFreshServer } from "../support/server/server_process.ts";
import { testUnless } from "../support/system/commands.ts";

const LIST = get("/v1/pets");
const BAD = "400 bad_request";
/** More than Node keeps by default. */
const MANY = `${HEADERS}Connection: close\r\n${"a:\r\n".repeat(1100)}`;

/** Each with the status and the code of every response until the server closes the connection. */
const CASES: Record<string, [requests: string | string[], responses: string[]]> = {
  "an unknown method": [head("BREW", "/v1/pets"), [BAD]],
  "CONNECT": [head("CONNECT", "pets.example:80"), [BAD]],
  "no HTTP": ["\x16\x03\x01\x02\0\x01\0", [BAD]],
  "a head over 16 kB": [get("/v1/pets", `${HEADERS}X: ${"x".repeat(20_000)}\r\n`), ["431 head_too_large"]],
  "no Host": [get("/v1/pets", AUTHORIZATION), [BAD]],
  "no version": [`GET /v1/pets\r\n${HEADERS}\r\n`, [BAD]],
  "an expectation that is not known": [get("/v1/pets", `${HEADERS}Expect: tea\r\nConnection: close\r\n`), ["200"]],
  // No refusal may look like the response to another request.
  "no HTTP while a body is read": [[post("{"), "\x16\x03\x01"], ["400 invalid_json", BAD]],
  "an unreadable body after a create": [[post(PET), head("POST", "/v1/pets", CHUNKED) + "x"], ["201", BAD]],
  "a second Host after a thousand fields": [get("/v1/pets", MANY + HOST), ["400 invalid_host"]],
  // Node does not read what comes in the same packet.
  "an upgrade": [get("/v1/pets", `${HEADERS}Connection: Upgrade\r\nUpgrade: x\r\n`) + LIST, ["200"]],
};

testUnless(!ON_NODE && "Deno answers these itself")(
  "what Node cannot read is refused with an Error body",
  () =>
    withFreshServer({ args: ["--key=k", "--store=sqlite:pets.db"] }, async (server) => {
      using stalled = await RawSocket.open(server, 60_000);
      await stalled.send("GET /v1/pets HTTP/1.1\r\n");
      for (const [what, [requests, responses]] of Object.entries(CASES)) {
        using socket = await RawSocket.open(server);
        await socket.send(...[requests].flat());
        const seen: string[] = [];
        for (let response; (response = await socket.readResponse());) {
          const { code, status } = JSON.parse(response.text);
          assert.equal(status, code ? response.status : status);
          seen.push([response.status, code].join(" ").trim());
          assert.equal(response.headers.get("content-type"), "application/json");
        }
        assert.deepEqual(seen, responses, what);
      }
      for (let i = 0; i < 20; i++) await connectAndReset(server.port);
      // The refusal came before the body could be read.
      using socket = await RawSocket.open(server);
      await socket.send(`POST /v1/pets HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`);
      assert.equal((await socket.readResponse())?.status, 401);
      await socket.sendRest("x");
      await socket.readEnd();
      // Node waits ten seconds for a head, and looks every five.
      const late = await stalled.readResponse();
      assert.deepEqual([late?.status, JSON.parse(late?.text ?? "{}").code], [408, "request_timeout"]);
      assert.equal(await server.stop(), 0);
      assert.equal(server.written.stderr, "");
    }),
);

/** Sends CONNECT, and a reset before the response. */
async function connectAndReset(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(head("CONNECT", "pets.example:80"));
  socket.resetAndDestroy();
  await once(socket, "close");
}
