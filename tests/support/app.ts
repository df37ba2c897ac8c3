/** A petstore whose app answers store orders, and what an app's handler may answer with. */

import { createPetstore, type PetstoreOptions } from "../../mod.ts";
import { KEY, petRequest } from "./pet_requests.ts";

export type OrdersHandler = NonNullable<PetstoreOptions["handleStoreOrders"]>;

export const ORDERS = "/v1/store/orders";

/** A petstore with this handler, the failures that the app was told, and the statuses of the responses. */
export function openApp(handleStoreOrders: OrdersHandler, options: Partial<PetstoreOptions> = {}) {
  const told: unknown[] = [];
  const observed: number[] = [];
  const petstore = createPetstore({
    keys: [KEY],
    handleStoreOrders,
    onError: ({ error }) => told.push(error),
    onResponse: ({ status }) => observed.push(status),
    ...options,
  });
  const ask = (path = ORDERS, init: RequestInit = {}) => petstore.handle(petRequest(path, init));
  return { petstore, ask, told, observed };
}

/** A body of pieces of a mebibyte without an end. */
export function endless(cancel = () => {}): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_048_576)), cancel });
}

/** A response with a status that the constructor would refuse. */
export function withStatus(status: number, body: BodyInit): Response {
  return Object.defineProperty(new Response(body), "status", { value: status });
}
