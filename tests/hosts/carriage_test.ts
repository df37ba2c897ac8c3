/** Beyond the contract, in every host: framing, cookies, long bodies, clients that leave. */

import assert from "node:assert/strict";
import { after } from "node:test";
import { CASE_HEADER } from "../support/by_case.ts";
import { KEY } from "../support/api.ts";
import { exchange } from "../support/http/raw_socket.ts";
import { testUnless } from "../support/system/commands.ts";
import { until } from "../support/until.ts";
import { type CarriageReport, LARGE_PIECES, type OrdersKind, PIECE_LENGTH } from "./driver/carriage_cases.ts";
import { createPrograms, type Program, whyNot } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

/** More than any socket buffers, and far less than an unread source would be asked for. */
const MAX_PULLED = 1024;

for (const { name, sendsChunks, ...host } of HOSTS) {
  const testHost = testUnless(whyNot(host.runtime));
  const programs = createPrograms({ name, ...host });

  testHost(`${name} sends a short response ${sendsChunks ? "in chunks" : "with its length"}`, async () => {
    const { port } = new URL((await programs.at("/v1")).origin);
    const head = `Host: localhost\r\nAuthorization: Bearer ${KEY}\r\n${CASE_HEADER}: carriage\r\n`;
    const response = await exchange({ port: Number(port), validate: () => {} }, `GET /v1/pets HTTP/1.1\r\n${head}\r\n`);
    assert.equal(response?.headers.get("content-length"), sendsChunks ? null : "2");
    assert.equal(response.headers.get("transfer-encoding"), sendsChunks ? "chunked" : null);
  });

  testHost(`${name} keeps two cookies apart`, async () => {
    const response = await ask(await programs.at("/v1"), "cookies");
    const cookies = ["a=1; Path=/", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT"];
    assert.deepEqual(response.headers.getSetCookie(), cookies);
    await response.text();
  });

  testHost(`${name} carries 8 MiB of unknown length`, async () => {
    const bytes = new Uint8Array(await (await ask(await programs.at("/v1"), "large")).arrayBuffer());
    assert.equal(bytes.length, LARGE_PIECES * PIECE_LENGTH);
    assert.ok(bytes.every((byte) => byte === 120));
  });

  testHost(`${name} cancels an endless body when its client leaves, and has not read far ahead`, async () => {
    const program = await programs.at("/v1");
    const { body } = await ask(program, "endless");
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    const { pulled } = await reported(program, "endless", ({ isCancelled }) => isCancelled);
    assert.ok(pulled < MAX_PULLED, `${pulled} pieces were asked for`);
  });

  testHost(`${name} aborts the request's signal when its client leaves`, async () => {
    const program = await programs.at("/v1");
    const abort = new AbortController();
    const response = ask(program, "waiting", { signal: abort.signal });
    await reported(program, "waiting", ({ isWaiting }) => isWaiting);
    abort.abort();
    await assert.rejects(response);
    await reported(program, "waiting", ({ isAborted }) => isAborted);
    // Now rather than at the end, when the processes of all hosts would be running.
    await programs.stop();
  });

  after(() => programs.stop());
}

/** Asks the petstore of this kind for its response, or for its report. */
function ask({ origin }: Program, kind: OrdersKind, init: RequestInit = {}, what = kind): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY}`, [CASE_HEADER]: `carriage ${kind}` };
  return fetch(`${origin}/v1/store/orders?${what}`, { ...init, headers });
}

async function reported(program: Program, kind: OrdersKind, isSo: (report: CarriageReport) => boolean) {
  let report: CarriageReport;
  await until("the handler's report", async () => {
    report = await (await ask(program, kind, {}, "report")).json();
    return isSo(report);
  });
  return report!;
}
