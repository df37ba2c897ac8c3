import assert from "node:assert/strict";
import { type Nginx, whyNoNginx, withNginx, withProxy } from "../../support/nginx/nginx.ts";
import { exchange } from "../../support/http/raw_socket.ts";
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

test("nginx answers 504 for a petstore that does not answer in time, and 502 for one that is gone", () =>
  withProxy({ response_timeout: "150ms" }, async (nginx, { pid }) => {
    Deno.kill(pid, "SIGSTOP");
    for (const bytes of [LIST, CREATE]) assert.deepEqual(await refusal(nginx, bytes), [504, "gateway_timeout", "5"]);
    Deno.kill(pid, "SIGKILL");
    await until("502", async () => (await exchange(nginx, LIST))?.status === 502);
    assert.deepEqual(await refusal(nginx, CREATE), [502, "bad_gateway", "1"]);
  }));

test("requests beyond the rate of an address are refused with 429", () =>
  withProxy(
    { rate: "$binary_remote_addr zone=requests:10m rate=1r/m", burst: "zone=requests" },
    async (nginx) => {
      assert.equal((await exchange(nginx, LIST))?.status, 200);
      for (const bytes of [LIST, CREATE]) {
        assert.deepEqual(await refusal(nginx, bytes), [429, "too_many_requests", "1"]);
      }
    },
  ));

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
