/** Grants that cross-origin pages must not get. The HTTP contract has those that they do get. */

import assert from "node:assert/strict";
import test from "node:test";
import { createPetstore } from "../../mod.ts";
import { type Api, type ApiResponse, IN_PROCESS, withApi } from "../support/api.ts";

const ORIGIN = "https://app.example";
const LISTED = { cors: { origins: [ORIGIN, "http://localhost:5173"] } };
const ALL = { cors: { origins: ["*"] } };

/** Values of Origin that resemble a listed one. */
const LOOKALIKES = [
  "null",
  "*",
  "",
  "app.example",
  "http://app.example",
  "HTTPS://app.example",
  "https://APP.example",
  "https://app.example.",
  "https://app.example:443",
  "https://app.example/",
  "https://app.example.evil.example",
  "https://app.examples",
  "https://xapp.example",
  "https://evil.example/https://app.example",
  "https://app.example@evil.example",
  "https://appxexample",
  "https://app.example%00.evil.example",
  "https://app.example, https://evil.example",
  "https://sub.app.example",
  "http://localhost",
  "http://127.0.0.1:5173",
  "file://",
  "chrome-extension://app.example",
  "https://app.example\u00a0",
];

function preflight(api: Api, origin: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
  return api.send("OPTIONS", "/pets", {
    key: null,
    headers: { origin, "access-control-request-method": "POST", ...headers },
  });
}

function grants({ headers }: ApiResponse): string[] {
  return [...headers].filter(([name]) => name.startsWith("access-control-")).map(([name]) => name);
}

test("an origin that resembles a listed one gets no grant, in a preflight or in a response", () =>
  withApi(IN_PROCESS, LISTED, async (api) => {
    for (const origin of LOOKALIKES) {
      const refused = await preflight(api, origin);
      assert.deepEqual([refused.status, refused.text], [204, ""], origin);
      for (const path of ["/pets", "/pets/1", "/nowhere"]) {
        const response = await api.get(path, { headers: { origin } });
        for (const each of [refused, response]) {
          assert.deepEqual(grants(each), [], origin);
          assert.equal(each.headers.get("vary"), "Origin", origin);
        }
      }
    }
    assert.equal((await preflight(api, ORIGIN)).headers.get("access-control-allow-origin"), ORIGIN);
  }));

test("without the option cors a preflight is answered without a grant, and other OPTIONS need a key", () =>
  withApi(IN_PROCESS, {}, async (api) => {
    for (const path of ["/pets", "/nowhere"]) {
      const headers = { origin: ORIGIN, "access-control-request-method": "GET" };
      const refused = await api.send("OPTIONS", path, { key: null, headers });
      assert.deepEqual([refused.status, refused.text, grants(refused)], [204, "", []], path);
      for (const name of Object.keys(headers) as (keyof typeof headers)[]) {
        const { [name]: _, ...others } = headers;
        assert.equal((await api.send("OPTIONS", path, { key: null, headers: others })).status, 401, `without ${name}`);
      }
      assert.equal((await api.get(path, { key: null, headers })).status, 401, "a GET is no preflight");
    }
  }));

test("a grant never includes credentials or a private network", async () => {
  const wish = {
    "access-control-request-method": "DELETE",
    "access-control-request-headers": "cookie, x-evil, authorization",
    "access-control-request-private-network": "true",
    cookie: "session=1",
  };
  for (const options of [LISTED, ALL]) {
    await withApi(IN_PROCESS, options, async (api) => {
      const granted = await preflight(api, ORIGIN, wish);
      const response = await api.get("/pets", { headers: { origin: ORIGIN, cookie: "session=1" } });
      assert.equal(granted.status, 204);
      for (const each of [granted, response]) {
        const unknown = grants(each).filter((name) =>
          !/-(allow-origin|allow-methods|allow-headers|max-age|expose-headers)$/.test(name)
        );
        assert.deepEqual(unknown, []);
      }
    });
  }
});

test("createPetstore() refuses origins that no browser sends, and wildcards beside or within an origin", () => {
  const wrong = LOOKALIKES.filter((origin) => !/^(https?|chrome-extension):\/\/[\w.-]+(:\d+)?$/.test(origin));
  wrong.push("https://app.example:443", "https://APP.example", "HTTPS://app.example");
  wrong.push(
    "capacitor://",
    "tauri://localhost/",
    "capacitor://LOCALHOST",
    "Tauri://localhost",
    "app://a b",
    "file://host",
  );
  wrong.push("javascript://x\r\ny", "data:text/html", "capacitor:localhost", "chrome-extension://*", "app://u@h");
  wrong.push("**", "http://localhost:*", "https://app.example\r\nx: y", `${ORIGIN} `);
  wrong.push("https://*.example", "https://*", "http://*:8080");
  for (const origin of wrong) {
    if (origin === "*") continue;
    assert.throws(() => createPetstore({ keys: ["k"], cors: { origins: [origin] } }), TypeError, origin);
  }
  for (const origins of [["*", ORIGIN], [ORIGIN, "*"], ["*", "*"], []]) {
    assert.throws(() => createPetstore({ keys: ["k"], cors: { origins } }), TypeError);
  }
});

test("an app shell or an extension of a browser is an origin like others", async () => {
  const origins = ["capacitor://localhost", "ionic://localhost", "tauri://localhost", "app://obsidian.md"];
  origins.push(
    "chrome-extension://nngceckbapebfimnlniiiahkandclblb",
    "moz-extension://8e03978e-40d5-43dd-bc93-6894a57f9324",
  );
  await withApi(IN_PROCESS, { cors: { origins } }, async (api) => {
    for (const origin of origins) {
      assert.equal((await preflight(api, origin)).headers.get("access-control-allow-origin"), origin);
      assert.deepEqual(grants(await preflight(api, `${origin}x`)), []);
    }
  });
});
