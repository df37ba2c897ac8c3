import { createPetstore } from "@petstore/petstore";

const petstore = createPetstore({
  keys: ["pk_example"],
  handleStoreOrders: () => Promise.reject(new Error("The order service is down")),
  onError({ error, request }) {
    const { pathname } = new URL(request.url);
    const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
    console.error(JSON.stringify({ level: "error", method: request.method, pathname, name, message }));
  },
});

Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, petstore.handle);
