/** A petstore in its own process with a short body timeout. Run as a program, it serves. Deno only. */

import { createPetstore } from "../../../../mod.ts";
import { Child } from "../../../support/system/child.ts";
import type { Endpoint } from "../../../support/http/raw_socket.ts";

const BODY_TIMEOUT = 400;

export async function withImpatientServer(use: (server: Endpoint & { pid: number }) => Promise<void>): Promise<void> {
  const args = ["run", "--no-prompt", "--allow-net", import.meta.filename ?? ""];
  await using child = new Child(Deno.execPath(), args);
  const [port] = await child.printed(/\d+(?=\n)/);
  await use({ port: Number(port), pid: child.pid });
}

if (import.meta.main) {
  const { handle } = createPetstore({ keys: ["k"], bodyTimeoutMs: BODY_TIMEOUT });
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, handle);
}
