/** The programs of docs/hosts.md with the app's own keys, log, store or addresses. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/until.ts";
import { withTempFolder } from "../support/temp.ts";
import { whyNoNginx, withPathProxy } from "./driver/path_proxy.ts";
import { DENO, type Program, startProgram } from "./driver/program.ts";

const PET = '{"name":"Rex","categoryId":9007199254740993}';

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

function asker(origin: string, key = "pk_example"): Ask {
  return (path, init = {}) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return fetch(new URL(path, origin), { ...init, headers: { ...headers, ...init.headers } });
  };
}

async function withProgram(file: string, env: Record<string, string>, use: (program: Program) => Promise<void>) {
  const program = await startProgram(DENO, file, "/v1", env);
  try {
    await use(program);
  } finally {
    await program.stop();
  }
}

async function add(ask: Ask, path: string): Promise<Response> {
  const response = await ask(path, { method: "POST", body: PET });
  assert.equal(response.status, 201);
  await response.text();
  return response;
}

test("an app's own sessions serve as keys, until they end", () =>
  withProgram("own_keys.ts", {}, async ({ origin }) => {
    const status = async (key: string) => {
      const response = await asker(origin, key)("/v1/pets");
      await response.text();
      return response.status;
    };
    assert.deepEqual([await status("token-of-ann"), await status("token-of-bob"), await status("x")], [200, 401, 401]);
    await fetch(`${origin}/logout/token-of-ann`, { method: "POST" });
    assert.equal(await status("token-of-ann"), 401);
  }));

test("an app's own log has the cause of a 500 without the query, and the client's answer does not have it", () =>
  withProgram("own_log.ts", {}, async ({ origin, written }) => {
    const response = await asker(origin)("/v1/store/orders?secret=1");
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /down/);
    await until("the log has a line", () => /^{.*}$/m.test(written()));
    const line = /^{.*}$/m.exec(written())?.[0] ?? "";
    assert.deepEqual(JSON.parse(line), {
      level: "error",
      method: "GET",
      pathname: "/v1/store/orders",
      name: "Error",
      message: "The order service is down",
    });
  }));

test("an app's own store has its pets after the process was killed", () =>
  withTempFolder(async (folder) => {
    const env = { PETS_FILE: join(folder, "pets.jsonl") };
    await withProgram("own_store.ts", env, async ({ origin }) => void await add(asker(origin), "/v1/pets"));
    await withProgram("own_store.ts", env, async ({ origin }) => {
      const pet = '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}';
      assert.equal(await (await asker(origin)("/v1/pets/1")).text(), pet);
    });
  }));

test("links are right below a router that removes the prefix", () =>
  withProgram("behind_prefix.ts", {}, async ({ origin }) => {
    const ask = asker(origin);
    for (const id of [1, 2]) {
      const created = await add(ask, "/api/v1/pets");
      assert.equal(created.headers.get("location"), `/api/v1/pets/${id}`);
    }
    const page = await ask("/api/v1/pets?limit=1");
    await page.text();
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
    assert.equal((await (await ask(next)).json())[0].id, 2);
  }));

const skip = whyNoNginx();

test(
  `links are right through a proxy that has another path${skip ? ` (skipped: ${skip})` : ""}`,
  { skip },
  () =>
    withProgram("behind_proxy.ts", {}, ({ origin }) =>
      withPathProxy(origin, async (proxy) => {
        const ask = asker(proxy);
        const created = await add(ask, "/store/v1/pets");
        assert.equal(created.headers.get("location"), "https://api.example/store/v1/pets/1");
        await add(ask, "/store/v1/pets");
        const evil = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example", "x-forwarded-proto": "ftp" };
        const page = await ask("/store/v1/pets?limit=1", { headers: evil });
        await page.text();
        const next = /^<https:\/\/api\.example([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
        assert.equal((await (await ask(next)).json())[0].id, 2);
      })),
);
