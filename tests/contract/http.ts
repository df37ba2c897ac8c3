/** The whole HTTP behaviour, as one list. */

import test from "node:test";
import { type Host, withApi } from "../support/api.ts";
import { STORE_KINDS } from "../support/stores.ts";
import { AUTH_CASES } from "./http/auth.ts";
import { BODY_CASES } from "./http/body.ts";
import type { HttpCase } from "./http/case.ts";
import { CREATE_CASES } from "./http/create.ts";
import { GET_CASES } from "./http/get.ts";
import { IDEMPOTENCY_CASES } from "./http/idempotency.ts";
import { LIST_CASES } from "./http/list.ts";
import { ROUTE_CASES } from "./http/routes.ts";

export const HTTP_CONTRACT: readonly HttpCase[] = [
  ...AUTH_CASES,
  ...LIST_CASES,
  ...CREATE_CASES,
  ...BODY_CASES,
  ...IDEMPOTENCY_CASES,
  ...GET_CASES,
  ...ROUTE_CASES,
];

/** Registers a test for every entry, on every store, carried by this host. */
export function testHttpContract(host: Host): void {
  for (const kind of STORE_KINDS) {
    if (kind.isVariant && host.name !== "in-process") continue;
    for (const { name, options, run } of HTTP_CONTRACT) {
      test(`${host.name}, ${kind.name} store: the petstore ${name}`, async () => {
        await kind.use((store) => withApi(host, { store, ...options }, run));
      });
    }
  }
}
