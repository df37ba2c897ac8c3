/** Tests of what a host carries beyond the contract: framing, cookies, long bodies, and clients that leave. */

import assert from "node:assert/strict";
import { KEY } from "../../../support/api.ts";
import { CASE_HEADER } from "../../../support/by_case.ts";
import { exchange } from "../../../support/http/raw_socket.ts";
import { until } from "../../../support/until.ts";
import { type CarriageReport, LARGE_PIECES, type OrdersKind, PIECE_LENGTH } from "./carriage_options.ts";
import type { Program } from "./program.ts";

/** More than any socket buffers, and far less than an unread source would be asked for. */
const MAX_PULLED = 1024;

/** Tests by the rest of a sentence that begins with the name of the host. */
export const CARRIAGE_TESTS: Record<string, (program: Program) => Promise<void>> = {
  async "sends a short response with its length"({ origin }) {
    const head = `Host: localhost\r\nAuthorization: Bearer ${KEY}\r\n${CASE_HEADER}: carriage\r\n`;
    const endpoint = { port: Number(new URL(origin).port), validate: () => {} };
    const response = await exchange(endpoint, `GET /v1/pets HTTP/1.1\r\n${head}\r\n`);
    assert.equal(response?.headers.get("content-length"), "2");
    assert.equal(response.headers.get("transfer-encoding"), null);
  },
  async "keeps the type of a text"(program) {
    const response = await ask(program, "text");
    assert.equal(response.headers.get("content-type")?.toLowerCase(), "text/plain;charset=utf-8");
    assert.equal(await response.text(), "woof");
  },
  async "answers HEAD as GET, also where the app takes a while"(program) {
    for (let i = 0; i < 2; i++) assert.equal((await ask(program, "late", { method: "HEAD" })).status, 202);
    assert.equal(await (await ask(program, "late")).text(), "woof");
    assert.doesNotMatch(program.written.stderr, /ERR_|Error/);
  },
  async "answers 500 in place of a header that cannot be sent"(program) {
    const response = await ask(program, "odd");
    assert.deepEqual([response.status, (await response.json()).code], [500, "internal_error"]);
  },
  async "keeps two cookies apart"(program) {
    const response = await ask(program, "cookies");
    const cookies = ["a=1; Path=/", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT"];
    assert.deepEqual(response.headers.getSetCookie(), cookies);
    await response.text();
  },
  async "carries 2 MiB of unknown length"(program) {
    const bytes = new Uint8Array(await (await ask(program, "large")).arrayBuffer());
    assert.equal(bytes.length, LARGE_PIECES * PIECE_LENGTH);
    assert.ok(bytes.every((byte) => byte === 120));
  },
  async "cancels an endless body when its client leaves, and has not read far ahead"(program) {
    const { body } = await ask(program, "endless");
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    const { pulled } = await reported(program, "endless", ({ isCancelled }) => isCancelled);
    assert.ok(pulled < MAX_PULLED, `${pulled} pieces were asked for`);
  },
  async "aborts the request's signal when its client leaves"(program) {
    const abort = new AbortController();
    const response = ask(program, "waiting", { signal: abort.signal });
    await reported(program, "waiting", ({ isWaiting }) => isWaiting);
    abort.abort();
    await assert.rejects(response);
    await reported(program, "waiting", ({ isAborted }) => isAborted);
  },
};

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
