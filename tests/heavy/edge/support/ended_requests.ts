/**
 * A Worker with a petstore whose keys are in D1. Some of its requests end before the petstore has
 * answered, as the runtime ends them when a client leaves.
 */

import { createPetstore } from "@petstore/petstore";
import { createKeyManager } from "@petstore/petstore/keys";
import { createD1Store, type D1Binding } from "@petstore/edge/d1";
import { env } from "cloudflare:workers";

const MAX_BODY_BYTES = 1024 * 1024;

const store = createD1Store(env.DB as D1Binding);
const keys = createKeyManager(store.keys);
const { handle } = createPetstore({ store, keys, maxBodyBytes: MAX_BODY_BYTES, bodyTimeoutMs: 500 });

/** Sends a body that stalls after its first piece, and ends when the petstore has taken that piece. */
async function leaveInBody(headers: Headers): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const answer = handle(new Request("http://pets.test/v1/pets", { method: "POST", headers, body: readable }));
  // The petstore refuses the body when others have taken the memory.
  await Promise.race([writable.getWriter().write(new Uint8Array(MAX_BODY_BYTES)), answer]);
  return new Response("The request has ended");
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/keys/add") return Response.json(await keys.add({ label: "test" }));
    if (pathname === "/keys/revoke") return Response.json(await keys.revoke(searchParams.get("id") ?? "") ?? null);
    if (pathname === "/leave-in-body") return await leaveInBody(request.headers);
    const response = handle(request);
    return request.headers.has("leave") ? new Response("The request has ended") : await response;
  },
};
