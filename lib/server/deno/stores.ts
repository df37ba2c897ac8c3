import config from "../../../deno.json" with { type: "json" };
import type { StoreHost } from "../host.ts";

/** Deno as the host of stores. The driver has the same version as in the tests. */
export const DENO_STORES: StoreHost = { postgresDriver: config.imports.postgres };
