import { assert } from "./assert.ts";
import type { Api, ApiResponse } from "./api.ts";
import { addition, assertResponse, cases, type HttpCase, NotApplicable } from "./case.ts";

const PATHS = addition("routes", "An unknown path is 404, with a key");
const METHODS = addition(
  "routes",
  "OPTIONS is 204 with Allow, a method that a path does not have 405 with Allow",
);
const ORDERS = addition("store.orders", "GET /store/orders is 501 unless the app answers it");

/** The methods of each path, in order. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "/pets": ["GET", "HEAD", "OPTIONS", "POST"],
  "/pets/1": ["GET", "HEAD", "OPTIONS"],
  "/store/orders": ["GET", "HEAD", "OPTIONS"],
};

/** Paths that have no route. */
const UNKNOWN = "/pet /pets/ /pets/1/x /Pets /pets%2F1 /store/orders/ /cats?limit=1 /%zz".split(" ");

export async function assertUnknown(api: Api, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const response = await api.send(method, path);
      assertResponse(response, { status: 404, code: "route_not_found" }, `${method} ${path}`);
    }
  }
}

function assertAllow({ headers }: ApiResponse, methods: readonly string[], request: string): void {
  const told = (headers.get("allow") ?? "").split(",").map((method) => method.trim());
  assert.equal(told.sort(), methods, `The methods in Allow of ${request}`);
}

/** Sends each of these methods to each path that does not have it. */
async function assertNotAllowed(api: Api, methods: readonly string[]): Promise<void> {
  for (const [path, allow] of Object.entries(ALLOWED)) {
    for (const method of methods) {
      // `Request` changes common methods to upper case.
      if (allow.includes(new Request("http://localhost", { method }).method)) continue;
      const response = await api.send(method, path);
      assertResponse(response, { status: 405, code: "method_not_allowed" }, `${method} ${path}`);
      assertAllow(response, allow, `${method} ${path}`);
    }
  }
}

export const ROUTE_CASES: HttpCase[] = [
  ...cases(PATHS, {
    "answers 404 route_not_found to every path without a route": (api) => assertUnknown(api, UNKNOWN),
  }),
  ...cases(METHODS, {
    async "answers OPTIONS with 204 and Allow, and every method that a path does not have with 405 and Allow"(api) {
      for (const [path, allow] of Object.entries(ALLOWED)) {
        const response = await api.send("OPTIONS", path);
        assert.equal([response.status, response.text], [204, ""], `The status and the body of OPTIONS ${path}`);
        assertAllow(response, allow, `OPTIONS ${path}`);
      }
      await assertNotAllowed(api, ["PUT", "PATCH", "DELETE", "POST"]);
    },
  }),
  ...cases(ORDERS, {
    async "answers 501 to store orders unless the app answers them"(api) {
      const response = await api.get("/store/orders");
      if (response.status === 200) throw new NotApplicable("the app answers store orders");
      assertResponse(response, { status: 501, code: "not_implemented" }, "GET /store/orders");
    },
  }),
];
