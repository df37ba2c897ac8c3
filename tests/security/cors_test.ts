/** Grants that cross-origin pages must not get. The HTTP contract has those that they do get. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";
import { type Api, type ApiResponse, IN_PROCESS, withApi } from "../support/api.ts";

const ORIGIN = "https://app.example";
/** An app shell and an extension of a browser are origins like others. */
const SHELLS = ["capacitor://localhost", "chrome-extension://nngceckbapebfimnlniiiahkandclblb"];
const LISTED = { cors: { origins: [ORIGIN, "http://localhost:5173", ...SHELLS] } };

/** Values of Origin that resemble a listed one. */
const LOOKALIKES = [
  "null",
  "app.example",
  "https://APP.example",
  "https://app.example:443",
  "https://app.example.evil.example",
  "https://xapp.example",
  "https://app.example@evil.example",
  "https://app.example, https://evil.example",
  "http://localhost",
  "capacitor://localhostx",
];

function preflight(api: Api, origin: string): Promise<ApiResponse> {
  return api.send("OPTIONS", "/pets", { key: null, headers: { origin, "access-control-request-method": "POST" } });
}

function grants({ headers }: ApiResponse): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

test("an origin that resembles a listed one gets no grant, in a preflight or in a response", () =>
  withApi(IN_PROCESS, LISTED, async (api) => {
    for (const origin of LOOKALIKES) {
      const refused = await preflight(api, origin);
      assert.deepEqual([refused.status, refused.text], [204, ""], origin);
      for (const each of [refused, await api.get("/pets", { headers: { origin } })]) {
        assert.deepEqual([grants(each), each.headers.get("vary")], [[], "Origin"], origin);
      }
    }
    for (const origin of [ORIGIN, ...SHELLS]) {
      assert.equal((await preflight(api, origin)).headers.get("access-control-allow-origin"), origin);
    }
  }));

test("only OPTIONS with both fields of a preflight needs no key, on any path", () =>
  withApi(IN_PROCESS, {}, async (api) => {
    const origin = { origin: ORIGIN };
    const method = { "access-control-request-method": "GET" };
    const statusOf = async (name: string, headers: Record<string, string>) =>
      (await api.send(name, "/nowhere", { key: null, headers })).status;
    assert.equal(await statusOf("OPTIONS", { ...origin, ...method }), 204);
    assert.equal(await statusOf("OPTIONS", origin), 401);
    assert.equal(await statusOf("OPTIONS", method), 401);
    assert.equal(await statusOf("GET", { ...origin, ...method }), 401);
  }));

test("createPetstore() refuses origins that no browser sends, and wildcards beside or within an origin", () => {
  const wrong = LOOKALIKES.filter((origin) => !/^\*$|^(https?|capacitor):\/\/[a-z.]+$/.test(origin));
  wrong.push(`${ORIGIN}/`, `${ORIGIN}\r\nx: y`, "tauri://localhost/", "file://host", "https://*.example");
  for (const origins of [...wrong.map((origin) => [origin]), ["*", ORIGIN], ["*", "*"], []]) {
    assert.throws(() => createPetstore({ keys: ["k"], cors: { origins } }), TypeError, String(origins));
  }
});
