import type { PetstoreOptions } from "@petstore/petstore";
import type { Api, ApiResponse } from "./api.ts";
import { linkTo } from "./link.ts";
import { assert, assertStatus } from "./assert.ts";
import { addition, assertResponse, cases, type HttpCase, NotApplicable, ON_HOST } from "./case.ts";

const PATHS = addition("routes", "An unknown path is 404, with a key");
const METHODS = addition("routes", "OPTIONS is 204 with Allow, a method that a path does not have 405 with Allow");
const MOUNTED = addition("routes", "Links begin with the base path, or with the public address");
const ORDERS = addition("store.orders", "GET /store/orders is 501 unless the app answers it");

/** The methods of each path, in order. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "/pets": ["GET", "HEAD", "OPTIONS", "POST"],
  "/pets/1": ["GET", "HEAD", "OPTIONS"],
  "/store/orders": ["GET", "HEAD", "OPTIONS"],
};

function assertAllow({ headers }: ApiResponse, methods: readonly string[], request: string): void {
  const told = (headers.get("allow") ?? "").split(",").map((method) => method.trim());
  assert.deepEqual(told.sort(), methods, `The methods in Allow of ${request}`);
}

/** Paths that have no route. */
const UNKNOWN = [
  "/pet",
  "/pets/",
  "/pets/1/",
  "/pets/1/x",
  "/Pets",
  "/pets%2F1",
  "/store",
  "/store/orders/",
  "/cats",
  "/%zz",
];

/** The base path itself, and paths outside: those that begin with `//` are relative to the root. */
const OUTSIDE = ["", "/", "//v1", "//v1x/pets", "//v2/pets", "//pets", "//", "//v1//pets"];

async function assertUnknown(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await api.send(method, path);
      assertResponse(response, { status: 404, code: "route_not_found" }, `${method} ${path}`);
    }
  }
}

/** Sends each of these methods to each path that does not have it. */
async function assertNotAllowed(api: Api, methods: readonly string[]): Promise<void> {
  for (const [path, allow] of Object.entries(ALLOWED)) {
    for (const method of methods) {
      // `Request` changes common methods to upper case.
      if (allow.includes(new Request("http://localhost", { method }).method)) continue;
      const response = await api.send(method, path);
      const expected = { status: 405, code: "method_not_allowed", message: new RegExp(method) } as const;
      assertResponse(response, expected, `${method} ${path}`);
      assertAllow(response, allow, `${method} ${path}`);
    }
  }
}

/** Where a petstore is mounted, and how its links begin. */
const MOUNTS: readonly [name: string, options: Partial<PetstoreOptions>, start: string][] = [
  ["serves under any base path", { basePath: "/api/v1" }, "/api/v1"],
  ["serves at the root", { basePath: "" }, ""],
  [
    "begins links with its configured public address, and ignores forwarded headers",
    { publicBaseUrl: "https://api.example/store/v1/" },
    "https://api.example/store/v1",
  ],
];

const FORWARDED = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp", forwarded: "host=evil.example" };

const MOUNT_CASES = MOUNTS.flatMap(([name, options, start]) =>
  cases({ ...MOUNTED, ...ON_HOST, options }, {
    async [name](api) {
      const sent = { headers: FORWARDED };
      for (const id of [1, 2]) {
        const { headers } = await api.post({ name: "Rex", categoryId: 7 }, sent);
        assert.equal(headers.get("location"), `${start}/pets/${id}`, "The Location");
      }
      const next = linkTo(await api.get("/pets?limit=1", sent), "next") ?? "";
      assert.match(
        next.replace(start, ""),
        /^\/pets\?limit=1&cursor=[A-Za-z0-9]+$/,
        "The link to the next page must have a limit and a cursor",
      );
      assert.equal(
        linkTo(await api.get("/pets/1", sent), "successor-version"),
        `${start}/pets`,
        "The successor-version of the Link",
      );
      if (options.basePath) assertStatus(await api.get("//v1/pets", sent), 404);
    },
  })
);

export const ROUTE_CASES: HttpCase[] = [
  ...cases({ ...PATHS, ...ON_HOST }, {
    async "answers 404 route_not_found to every path without a route"(api) {
      await assertUnknown(api, UNKNOWN);
      const missing = { status: 404, code: "route_not_found", message: /\/cats"/ } as const;
      assertResponse(await api.get("/cats?limit=1"), missing);
      assertStatus(await api.get("/%70ets"), 200, "/%70ets is /pets");
    },
  }),
  ...cases({ ...PATHS, ...ON_HOST, isOwn: true }, {
    "answers 404 route_not_found to every path outside the base path": (api) => assertUnknown(api, OUTSIDE),
  }),
  ...cases({ ...METHODS, ...ON_HOST }, {
    async "answers OPTIONS with 204 and Allow, and every method that a path does not have with 405 and Allow"(api) {
      for (const [path, allow] of Object.entries(ALLOWED)) {
        const response = await api.send("OPTIONS", path);
        assert.deepEqual([response.status, response.text], [204, ""], `The status and the body of OPTIONS ${path}`);
        assertAllow(response, allow, `OPTIONS ${path}`);
      }
      await assertNotAllowed(api, ["PUT", "PATCH", "DELETE", "POST"]);
    },
  }),
  ...cases({ ...METHODS, ...ON_HOST, isOwn: true }, {
    "answers 405 with Allow to QUERY (RFC 10008), which no path has": (api) => assertNotAllowed(api, ["QUERY"]),
    "answers 405 with Allow to a method that HTTP does not have": (api) =>
      assertNotAllowed(api, ["get", "constructor"]),
  }),
  ...cases(ORDERS, {
    async "answers 501 to store orders unless the app answers them"(api) {
      const response = await api.get("/store/orders");
      if (response.status === 200) throw new NotApplicable("the app answers store orders");
      assertResponse(response, { status: 501, code: "not_implemented", message: /store orders/ });
    },
  }),
  ...MOUNT_CASES,
];
