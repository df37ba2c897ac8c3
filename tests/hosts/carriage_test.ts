/** Beyond the contract, in every host: framing, cookies, long bodies, clients that leave. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { KEY } from "../support/api.ts";
import { until } from "../support/until.ts";
import { type CarriageReport, LARGE_PIECES, type OrdersKind, PIECE_LENGTH } from "./driver/carriage_cases.ts";
import { type Program, whyNot } from "./driver/program.ts";
import { createPrograms } from "./driver/programs.ts";
import { HOSTS } from "./hosts.ts";

/** More than any socket buffers, and far less than an unread source would be asked for. */
const MAX_PULLED = 1024;

for (const host of HOSTS) {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);

  const withProgram = async (run: (program: Program) => Promise<void>) => {
    const program = await programs.at("/v1");
    await program.choose("carriage");
    await run(program);
  };

  test(
    `${host.name} sends a short answer ${host.sendsChunks ? "in chunks" : "with its length"}`,
    { skip },
    () =>
      withProgram(async (program) => {
        const { headers } = await readHead(program, "GET /v1/pets");
        assert.equal(headers.get("content-length"), host.sendsChunks ? null : "2");
        assert.equal(headers.get("transfer-encoding"), host.sendsChunks ? "chunked" : null);
      }),
  );

  test(`${host.name} keeps two cookies apart`, { skip }, () =>
    withProgram(async (program) => {
      const response = await ask(program, "cookies");
      assert.deepEqual(response.headers.getSetCookie(), ["a=1; Path=/", "b=2; Expires=Thu, 01 Jan 2032 00:00:00 GMT"]);
      await response.text();
    }));

  test(`${host.name} carries 8 MiB of unknown length`, { skip }, () =>
    withProgram(async (program) => {
      const bytes = new Uint8Array(await (await ask(program, "large")).arrayBuffer());
      assert.equal(bytes.length, LARGE_PIECES * PIECE_LENGTH);
      assert.ok(bytes.every((byte) => byte === 120));
    }));

  test(
    `${host.name} cancels an endless body when its client leaves, and has not read far ahead`,
    { skip },
    () =>
      withProgram(async (program) => {
        const { body } = await ask(program, "endless");
        const reader = body!.getReader();
        await reader.read();
        await reader.cancel();
        const { pulled } = await reported(program, ({ isCancelled }) => isCancelled);
        assert.ok(pulled < MAX_PULLED, `${pulled} pieces were asked for`);
      }),
  );

  test(
    `${host.name} aborts the request's signal when its client leaves`,
    { skip },
    () =>
      withProgram(async (program) => {
        const abort = new AbortController();
        const answer = ask(program, "waiting", abort.signal);
        await reported(program, ({ isWaiting }) => isWaiting);
        abort.abort();
        await assert.rejects(answer);
        await reported(program, ({ isAborted }) => isAborted);
        // Now rather than at the end, when the processes of all hosts would be running.
        await programs.stop();
      }),
  );

  after(() => programs.stop());
}

function ask({ origin }: Program, kind: OrdersKind, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${KEY}` };
  return fetch(`${origin}/v1/store/orders?${kind}`, signal ? { headers, signal } : { headers });
}

/** Polls the report. */
async function reported(program: Program, isSo: (report: CarriageReport) => boolean): Promise<CarriageReport> {
  let last: CarriageReport | undefined;
  let isAsking = false;
  await until("the handler's report", () => {
    if (last && isSo(last)) return true;
    if (!isAsking) {
      isAsking = true;
      ask(program, "report").then((response) => response.json()).then((report) => last = report).finally(() => {
        isAsking = false;
      });
    }
    return false;
  });
  return last!;
}

/** The head of an answer as it is sent: fetch hides how a body is framed. */
async function readHead({ origin }: Program, line: string): Promise<{ status: number; headers: Headers }> {
  const { hostname, port, host } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const request = `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  let text = "";
  for await (const piece of connection.readable.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes("\r\n\r\n")) break;
  }
  const [status = "", ...fields] = (text.split("\r\n\r\n")[0] ?? "").split("\r\n");
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  return { status: Number(status.split(" ")[1]), headers: new Headers(pairs) };
}
