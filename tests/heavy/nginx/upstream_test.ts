import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Nginx, UNLIMITED, whyNoNginx, withNginx, withProxy } from "../../support/nginx/nginx.ts";
import { exchange, RawSocket } from "../../support/http/raw_socket.ts";
import { get, HEADERS, PET, post } from "../../support/http/requests.ts";
import { type Script, withScript } from "../../support/http/scripted_server.ts";
import { withTempFolder } from "../../support/temp.ts";
import { testUnless } from "../../support/system/commands.ts";
import { until } from "../../support/until.ts";

const test = testUnless(whyNoNginx());
const LIST = get("/v1/pets");
const CREATE = post(PET);

async function refusal(nginx: Nginx, bytes: string): Promise<unknown[]> {
  const response = await exchange(nginx, bytes);
  return [response?.status, JSON.parse(response?.text ?? "null").code, response?.headers.get("retry-after")];
}

test("a petstore that ends closes none of nginx's connections with a request on it", () =>
  withProxy(UNLIMITED, async (nginx, server, folder) => {
    let answered = 0;
    const warm = Promise.withResolvers<void>();
    const clients = Array.from({ length: 12 }, async (_, i) => {
      using socket = await RawSocket.open(nginx);
      for (let status = 0; status !== 502;) {
        await socket.send(i % 2 === 0 ? LIST : CREATE);
        status = (await socket.readResponse())?.status ?? assert.fail("nginx did not answer");
        assert.ok([200, 201, 502, 503].includes(status), `${status}`);
        if (++answered === 400) warm.resolve();
      }
    });
    await Promise.race([warm.promise, Promise.all(clients)]);
    assert.equal(await server.stop(), 0);
    await Promise.all(clients);
    // The only errors are those of connections that were refused, when no server listened any more: no request was lost.
    const errors = readFileSync(join(folder, "error_log"), "utf8").trimEnd().split("\n");
    for (const line of errors) assert.match(line, /connect\(\) failed \(111: .*refused\)/i);
  }));

test("nginx answers 504 for a petstore that does not answer in time, and 502 for one that is gone", () =>
  withProxy({ response_timeout: "150ms" }, async (nginx, { pid }) => {
    Deno.kill(pid, "SIGSTOP");
    for (const bytes of [LIST, CREATE]) assert.deepEqual(await refusal(nginx, bytes), [504, "gateway_timeout", "5"]);
    Deno.kill(pid, "SIGKILL");
    await until("502", async () => (await exchange(nginx, LIST))?.status === 502);
    assert.deepEqual(await refusal(nginx, CREATE), [502, "bad_gateway", "1"]);
  }));

test("requests beyond the rate, or the limit of simultaneous requests, of an address are refused with 429", async () => {
  await withProxy(
    { rate: "$binary_remote_addr zone=requests:10m rate=1r/m", burst: "zone=requests" },
    async (nginx) => {
      assert.equal((await exchange(nginx, LIST))?.status, 200);
      for (const bytes of [LIST, CREATE]) {
        assert.deepEqual(await refusal(nginx, bytes), [429, "too_many_requests", "1"]);
      }
    },
  );
  await withProxy({ connections: "connections 1" }, async (nginx) => {
    using first = await RawSocket.open(nginx);
    await first.send(CREATE.slice(0, -1).replace(/\r\n\r\n/, "\r\nExpect: 100-continue$&"));
    // The interim response shows that nginx has counted the request.
    assert.equal((await first.readResponse())?.status, 100);
    assert.deepEqual(await refusal(nginx, LIST), [429, "too_many_requests", "1"]);
    await first.sendRest(PET.slice(-1));
    assert.equal((await first.readResponse())?.status, 201);
  });
});

/** nginx before an upstream that answers the first request of a connection, and closes the connection after the second. */
function withBreaker(use: (nginx: Nginx, heads: string[]) => Promise<void>): Promise<void> {
  const list = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]";
  const script: Script = (_request, number) => number % 2 === 0 ? [list] : "";
  return withScript(script, ({ origin, requests }) => {
    const port = Number(new URL(origin).port);
    return withTempFolder((folder) => withNginx(folder, port, {}, (nginx) => use(nginx, requests)));
  });
}

test("a GET whose connection to the petstore breaks is sent again, a POST never", () =>
  withBreaker(async (nginx, heads) => {
    assert.equal((await exchange(nginx, LIST))?.status, 200);
    // nginx asks first on the kept connection, which breaks, and then on a new one.
    assert.equal((await exchange(nginx, LIST))?.status, 200);
    assert.deepEqual(await refusal(nginx, CREATE), [502, "bad_gateway", "1"]);
    assert.deepEqual(heads.map((head) => head.slice(0, head.indexOf(" "))), ["GET", "GET", "GET", "POST"]);
  }));

test("the petstore gets the request with its target as sent, the address from nginx, and nothing about other proxies", () =>
  withBreaker(async (nginx, heads) => {
    const pretended = "Forwarded: for=1.2.3.4\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil.example\r\n" +
      "X-Forwarded-Proto: https\r\nX-Real-IP: 1.2.3.4\r\nConnection: authorization, x\r\nUpgrade: h2c\r\n";
    await exchange(nginx, get("/v1/%70ets//?limit=%31&x", HEADERS + pretended));
    assert.deepEqual(heads[0]?.trimEnd().split("\r\n"), [
      "GET /v1/%70ets//?limit=%31&x HTTP/1.1",
      "Host: pets.example",
      "X-Real-IP: 127.0.0.1",
      "Authorization: Bearer k",
    ]);
  }));
