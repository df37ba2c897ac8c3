import process from "node:process";
import { createPetstore } from "@petstore/petstore";
import { serve } from "srvx";

const { PORT = "8000", BASE_PATH = "/v1" } = process.env;
const petstore = createPetstore({ keys: ["pk_example"], basePath: BASE_PATH });

serve({
  port: Number(PORT),
  fetch(request) {
    const pathname = URL.parse(request.url)?.pathname ?? ""; // not new URL(): a Host header may be invalid
    if (pathname === "/hello") return new Response("Hello from the app");
    if (pathname.startsWith(`${BASE_PATH}/`)) return petstore.handle(request);
    return new Response("Not found", { status: 404 });
  },
});
