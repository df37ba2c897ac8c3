/** The programs of docs/hosts.md with the app's own keys, log, KV or addresses. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { surviveHostileRequests } from "../../support/http/odd_requests.ts";
import { withTempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";
import { BUN_RUNTIME, DENO, DENO_SERVE, startProgram } from "./driver/program.ts";

const PET = '{"name":"Rex","categoryId":9007199254740993}';

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

function asker(origin: string, key = "pk_example"): Ask {
  return (path, init = {}) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return fetch(new URL(path, origin), { ...init, headers: { ...headers, ...init.headers } });
  };
}

function start(file: string) {
  return startProgram({ runtime: DENO, file }, "/v1");
}

async function add(ask: Ask, path: string): Promise<string | null> {
  const response = await ask(path, { method: "POST", body: PET });
  assert.equal(response.status, 201);
  await response.text();
  return response.headers.get("location");
}

/** The target of a list's link to its next page. */
async function nextOf(page: Response): Promise<string> {
  await page.text();
  return /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
}

test("an app's own sessions serve as keys, until they end", async () => {
  await using program = await start("own_keys.ts");
  const status = async (key: string) => {
    const response = await asker(program.origin, key)("/v1/pets");
    await response.text();
    return response.status;
  };
  assert.deepEqual([await status("token-of-ann"), await status("token-of-bob"), await status("x")], [200, 401, 401]);
  await fetch(`${program.origin}/logout/token-of-ann`, { method: "POST" });
  assert.equal(await status("token-of-ann"), 401);
});

test("an app's own log has the cause of a 500 without the query, and the client's response does not have it", async () => {
  await using program = await start("own_log.ts");
  const response = await asker(program.origin)("/v1/store/orders?secret=1");
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /down/);
  const line = () => /^{.*}$/m.exec(program.written.stderr)?.[0];
  await until("the log has a line", () => line() !== undefined);
  const [level, name, message] = ["error", "Error", "The order service is down"];
  assert.deepEqual(JSON.parse(line()!), { level, method: "GET", pathname: "/v1/store/orders", name, message });
});

test("an app on Deno KV has its pets beside its own data, and after the process was killed", () =>
  withTempFolder(async (folder) => {
    const env = { KV_PATH: join(folder, "kv") };
    const runtime = { ...DENO, args: [...DENO.args, "--unstable-kv"] };
    for (const id of [1, 2]) {
      await using program = await startProgram({ runtime, file: "own_kv.ts" }, "/v1", env);
      assert.equal(await add(asker(program.origin), "/v1/pets"), `/v1/pets/${id}`);
      assert.equal(await (await fetch(`${program.origin}/hits/home`)).text(), String(id));
      const pet = '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}';
      assert.equal(await (await asker(program.origin)("/v1/pets/1")).text(), pet);
    }
  }));

for (const runtime of [DENO_SERVE, BUN_RUNTIME]) {
  test(`a petstore that is the default export is a whole program on ${runtime.name}`, async () => {
    await using program = await startProgram({ runtime, file: "../driver/default_export.ts" }, "/v1");
    assert.equal(await add(asker(program.origin), "/v1/pets"), "/v1/pets/1");
    const refused = await asker(program.origin, "wrong")("/v1/pets");
    await refused.text();
    assert.equal(refused.status, 401);
  });
}

test("the programs on Deno survive hostile requests", async () => {
  for (const file of ["own_kv.ts", "behind_prefix.ts", "behind_proxy.ts"]) {
    const runtime = { ...DENO, args: [...DENO.args, "--unstable-kv"] };
    await using program = await startProgram({ runtime, file }, "/v1", { KV_PATH: ":memory:" });
    await surviveHostileRequests(program, "Authorization: Bearer pk_example\r\n");
  }
});

const MOVED: [file: string, seen: string, shown: string][] = [
  ["behind_prefix.ts", "/api/v1", "/api/v1"],
  ["behind_proxy.ts", "/v1", "https://api.example/store/v1"],
];

test("links are right below a router that removes the prefix, and behind a proxy that has another path", async () => {
  for (const [file, seen, shown] of MOVED) {
    await using program = await start(file);
    const ask = asker(program.origin);
    for (const id of [1, 2]) assert.equal(await add(ask, `${seen}/pets`), `${shown}/pets/${id}`);
    const next = await nextOf(await ask(`${seen}/pets?limit=1`));
    assert.ok(next.startsWith(`${shown}/pets?`), next);
    assert.equal((await (await ask(next.replace(shown, seen))).json())[0].id, 2);
  }
});
