import config from "../../../deno.json" with { type: "json" };
import type { StoreHost } from "../host.ts";
import { isPermitted } from "../process.ts";
import { KeptFiles } from "../store/kept_files.ts";

/** Deno as the host of stores. The driver has the same version as in the tests. */
export const DENO_STORES: StoreHost = {
  postgresDriver: config.imports.postgres,
  keepFiles: canConfine() ? (opened) => new KeptFiles(opened) : undefined,
};

/**
 * Whether an isolate with permissions of its own can be started. Without the flag for that, Deno would end the process. Both
 * unstable flags belong together, and only the other one shows.
 */
function canConfine(): boolean {
  const lib = new URL("../../", import.meta.url);
  return "listenDatagram" in Deno && (lib.protocol !== "file:" || isPermitted({ name: "read", path: lib }));
}
