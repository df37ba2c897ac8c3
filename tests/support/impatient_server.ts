/**
 * A petstore in a process of its own that waits for a body for a short while only, which the standalone server cannot be
 * told to do. Run as a program it serves; imported it starts one. Deno only.
 */

import { createOpenApi, createPetstore } from "../../mod.ts";
import { createResponseValidator } from "./openapi_validator.ts";
import type { Endpoint } from "./raw_socket.ts";

/** How long it waits for a body, in milliseconds. */
const BODY_TIMEOUT = 400;

/** Starts a server that knows the key `k`, and makes sure that it is gone when `use` is done. */
export async function withImpatientServer(use: (server: Endpoint & { pid: number }) => Promise<void>): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net", import.meta.filename ?? ""],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  try {
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    // Nothing else is ever printed, and so short a line comes in one piece.
    const { value } = await reader.read();
    const validate = createResponseValidator(createOpenApi({ bodyTimeoutMs: BODY_TIMEOUT }), "/v1");
    await use({ port: Number(value), pid: child.pid, validate });
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

if (import.meta.main) {
  const { handle } = createPetstore({ keys: ["k"], bodyTimeoutMs: BODY_TIMEOUT });
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, handle);
}
