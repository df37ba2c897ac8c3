import { createPetstore } from "@petstore/petstore";
import { createKvStore } from "@petstore/edge/kv";

// Without a path, Deno chooses a file for this program.
const kv = await Deno.openKv(Deno.env.get("KV_PATH"));
const store = createKvStore(kv, { prefix: ["pets of the app"] });
const petstore = createPetstore({ keys: ["pk_example"], store });

const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, async (request) => {
  const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
  if (!pathname.startsWith("/hits/")) return await petstore.handle(request);
  await kv.atomic().sum([pathname], 1n).commit();
  return new Response(String((await kv.get<Deno.KvU64>([pathname])).value));
});

Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await store.close();
  kv.close();
});
