import type { Api } from "./api.ts";
import * as assert from "./assert.ts";
import { addition, type HttpCase } from "./case.ts";
import { assertResponse } from "./responses.ts";

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
      assertResponse(await api.send(method, path), 404, "route_not_found");
    }
  }
}

export const ROUTE_CASES: HttpCase[] = [
  ...addition("routes", "An unknown path is 404, with a key", {
    "answers 404 route_not_found to every path without a route": (api) => assertUnknown(api, UNKNOWN),
  }),
  ...addition("routes", "OPTIONS is 204 with Allow, a method that a path does not have 405 with Allow", {
    async "answers OPTIONS with 204 and Allow, and every method that a path does not have with 405 and Allow"(api) {
      for (const [path, allow] of Object.entries(ALLOWED)) {
        const others = ["PUT", "PATCH", "DELETE", "POST"].filter((method) => !allow.includes(method));
        for (const method of ["OPTIONS", ...others]) {
          const response = await api.send(method, path);
          if (method === "OPTIONS") assertResponse(response, 204);
          else assertResponse(response, 405, "method_not_allowed");
          const told = (response.headers.get("allow") ?? "").split(",").map((each) => each.trim());
          assert.equal(told.sort(), allow, `The methods in Allow of ${response.request}`);
        }
      }
    },
  }),
  ...addition("store.orders", "GET /store/orders is 501 unless the app answers it", {
    async "answers 501 to store orders unless the app answers them"(api) {
      const response = await api.get("/store/orders");
      if (response.status !== 200) assertResponse(response, 501, "not_implemented");
    },
  }),
];
