import { createPetstore } from "@petstore/petstore";

const BASE_PATH = "/v1";
const petstore = createPetstore({ keys: ["pk_app"], basePath: BASE_PATH });

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin || !pathname.startsWith(`${BASE_PATH}/`)) return; // to the network, as ever
  event.respondWith(petstore.handle(event.request));
});
