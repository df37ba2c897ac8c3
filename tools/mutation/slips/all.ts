/** The slips, of which half are in access and in the server: what an operator sees has fewer eyes on it than what a client sees. */

import { ACCESS } from "./access.ts";
import { SERVER } from "./server.ts";
import { SERVICE } from "./service.ts";
import type { Slip } from "./slip.ts";
import { STORES } from "./stores.ts";
import { TELEMETRY } from "./telemetry.ts";

export const SLIPS: readonly Slip[] = [...ACCESS, ...TELEMETRY, ...SERVER, ...SERVICE, ...STORES];
