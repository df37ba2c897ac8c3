import assert from "node:assert/strict";
import { addPets, caseWith, type HttpCase, httpCase, linkTarget } from "./case.ts";

const ORIGIN = "https://app.example";
const PREFLIGHT = {
  origin: ORIGIN,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization",
};

export const ROUTE_CASES: HttpCase[] = [
  httpCase("answers 404 route_not_found to every path without a route", async (api) => {
    const paths = [
      ...["", "/", "/pet", "/pets/", "/pets/1/", "/pets/1/x", "/Pets", "/pets%2F1", "/store", "/store/orders/"],
      ...["/cats", "//v1", "//v1x/pets", "//v2/pets", "//pets", "//", "//v1//pets", "/%zz"],
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { status, error } = await api.send(method, path);
        assert.deepEqual([status, error.code], [404, "route_not_found"], `${method} ${path}`);
      }
    }
    assert.equal((await api.get("/%70ets")).status, 200);
  }),
  httpCase("answers 405 with Allow to every method that a path does not have", async (api) => {
    const allowed = {
      "/pets": "GET, HEAD, POST, OPTIONS",
      "/pets/1": "GET, HEAD, OPTIONS",
      "/store/orders": "GET, HEAD, OPTIONS",
    };
    for (const [path, allow] of Object.entries(allowed)) {
      for (
        const method of ["PUT", "PATCH", "DELETE", "QUERY", "get", "constructor", ...(path === "/pets" ? [] : ["POST"])]
      ) {
        // Request changes common methods to upper case.
        if (new Request("http://localhost", { method }).method === "GET") continue;
        const { status, headers, error } = await api.send(method, path);
        assert.deepEqual(
          [status, error.code, headers.get("allow")],
          [405, "method_not_allowed", allow],
          `${method} ${path}`,
        );
      }
    }
  }),
  httpCase("answers OPTIONS with 204 and Allow", async (api) => {
    const { status, headers, text } = await api.send("OPTIONS", "/pets");
    assert.deepEqual([status, headers.get("allow"), text], [204, "GET, HEAD, POST, OPTIONS", ""]);
    assert.equal((await api.send("OPTIONS", "/pets/999")).headers.get("allow"), "GET, HEAD, OPTIONS");
  }),
  httpCase("answers HEAD as GET, with the length and without the body", async (api) => {
    await addPets(api, ["sold", "pending"]);
    await api.post({ name: "é😀", categoryId: 1 });
    for (const path of ["/pets", "/pets?limit=1", "/pets?limit=0", "/pets/3", "/pets/4", "/store/orders", "/cats"]) {
      const [get, head] = [await api.get(path), await api.send("HEAD", path)];
      assert.deepEqual([head.status, head.text], [get.status, ""], path);
      assert.equal(head.headers.get("content-length"), String(new TextEncoder().encode(get.text).length));
      for (const name of ["content-type", "etag", "link", "deprecation"]) {
        assert.equal(head.headers.get(name), get.headers.get(name));
      }
    }
    const etag = (await api.get("/pets")).headers.get("etag") ?? "";
    assert.equal((await api.send("HEAD", "/pets", { headers: { "if-none-match": etag } })).status, 304);
  }),
  httpCase("answers 501 to store orders unless the app answers them", async (api) => {
    const { status, error } = await api.get("/store/orders");
    assert.deepEqual([status, error.code], [501, "not_implemented"]);
  }),
  caseWith(
    { handleStoreOrders: (request) => Promise.resolve(Response.json({ method: request.method })) },
    "lets the app answer store orders, after the key check",
    async (api) => {
      assert.deepEqual((await api.get("/store/orders")).json, { method: "GET" });
      assert.equal((await api.get("/store/orders", { key: null })).status, 401);
      assert.equal((await api.send("POST", "/store/orders")).status, 405);
      assert.deepEqual([(await api.send("HEAD", "/store/orders")).text], [""]);
    },
  ),
  caseWith(
    {
      handleStoreOrders: () => Promise.reject(new Error("secret")),
      onError: () => {
        throw new Error("broken log");
      },
    },
    "answers 500 when the app's store orders throw, and reports the cause to the app only",
    async (api) => {
      const { status, text } = await api.get("/store/orders");
      assert.equal(status, 500);
      assert.ok(!text.includes("secret"));
    },
  ),
  caseWith({ basePath: "/api/v1" }, "serves under any base path", async (api) => {
    const created = await api.post({ name: "Rex", categoryId: 7 });
    assert.equal(created.headers.get("location"), "/api/v1/pets/1");
    await addPets(api, ["sold"]);
    assert.match((await api.get("/pets?limit=1")).headers.get("link") ?? "", /^<\/api\/v1\/pets\?limit=1&cursor=/);
    assert.match((await api.get("/pets/1")).headers.get("link") ?? "", /^<\/api\/v1\/pets>/);
    assert.equal((await api.get("//v1/pets")).status, 404);
  }),
  caseWith(
    { basePath: "/internal", publicBaseUrl: "https://api.example/store/v1/" },
    "begins links with its configured public address, and ignores forwarded headers",
    async (api) => {
      const headers = {
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "ftp",
        forwarded: "host=evil.example",
      };
      const created = await api.post({ name: "Rex", categoryId: 7 }, { headers });
      assert.equal(created.headers.get("location"), "https://api.example/store/v1/pets/1");
      await api.post({ name: "Bo", categoryId: 7 });
      const page = await api.get("/pets?limit=1", { headers });
      assert.match(
        linkTarget(page, "next") ?? "",
        /^https:\/\/api\.example\/store\/v1\/pets\?limit=1&cursor=[A-Za-z0-9]+$/,
      );
      const pet = await api.get("/pets/1", { headers });
      assert.equal(linkTarget(pet, "successor-version"), "https://api.example/store/v1/pets");
    },
  ),
  caseWith({ basePath: "" }, "serves at the root", async (api) => {
    assert.equal((await api.post({ name: "Rex", categoryId: 7 })).headers.get("location"), "/pets/1");
    assert.equal((await api.get("/pets/1")).status, 200);
  }),
  httpCase("grants nothing to other origins by default", async (api) => {
    const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: PREFLIGHT });
    assert.equal(preflight.status, 401);
    const { headers } = await api.get("/pets", { headers: { origin: ORIGIN } });
    for (const [name] of [...preflight.headers, ...headers]) assert.ok(!name.startsWith("access-control-"));
  }),
  caseWith(
    { cors: { origins: ["https://other.example", ORIGIN] } },
    "sends a listed origin the CORS headers that it needs on every response, and never allows credentials",
    async (api) => {
      const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: PREFLIGHT });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get("access-control-allow-origin"), ORIGIN);
      assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /POST/);
      assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /Authorization/);
      const responses = [
        await api.get("/pets", { headers: { origin: ORIGIN } }),
        await api.get("/pets", { key: null, headers: { origin: ORIGIN } }),
        await api.get("/cats", { headers: { origin: ORIGIN } }),
      ];
      for (const { headers } of [...responses, preflight]) {
        assert.equal(headers.get("access-control-allow-origin"), ORIGIN);
        assert.equal(headers.get("vary"), "Origin");
        assert.equal(headers.get("access-control-allow-credentials"), null);
        assert.match(
          headers.get("access-control-expose-headers") ?? "",
          /Link, Location, ETag, Deprecation, Sunset, Retry-After, WWW-Authenticate/,
        );
      }
    },
  ),
  caseWith({ cors: { origins: [ORIGIN] } }, "grants nothing to an origin that is not listed", async (api) => {
    for (
      const origin of [
        "https://evil.example",
        "null",
        `${ORIGIN}.evil.example`,
        ORIGIN.replace("https", "http"),
        `${ORIGIN}:8443`,
      ]
    ) {
      const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: { ...PREFLIGHT, origin } });
      const response = await api.get("/pets", { headers: { origin } });
      assert.deepEqual([preflight.status, response.status], [401, 200]);
      for (const { headers } of [preflight, response]) {
        assert.equal(headers.get("access-control-allow-origin"), null, origin);
        assert.equal(headers.get("vary"), "Origin");
      }
    }
  }),
  caseWith({ cors: { origins: ["*"] } }, "grants every origin with *, and reflects none", async (api) => {
    const preflight = await api.send("OPTIONS", "/pets", { key: null, headers: PREFLIGHT });
    const { headers } = await api.get("/pets", { headers: { origin: ORIGIN } });
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("access-control-allow-credentials"), null);
  }),
];
