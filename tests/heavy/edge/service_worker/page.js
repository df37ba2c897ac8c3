/** Starts the petstore; afterwards, this page's fetch("/v1/pets") is answered without any server. */
export async function startPetstore() {
  const { serviceWorker } = navigator;
  const controlled = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve));
  await serviceWorker.register("/sw.js");
  if (!serviceWorker.controller) await controlled;
}
