import { createPetstore } from "@petstore/petstore";

const basePath = Deno.env.get("BASE_PATH") ?? "/v1";
const petstore = createPetstore({ keys: ["pk_example"], basePath });

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, (request) => {
  const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
  if (pathname === "/hello") return new Response("Hello from the app");
  if (pathname.startsWith(`${basePath}/`)) return petstore.handle(request);
  return new Response("Not found", { status: 404 });
});
