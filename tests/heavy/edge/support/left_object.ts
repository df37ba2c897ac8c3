/** A Worker that leaves a Durable Object in the middle of a body, and then asks the object what became of the request. */

import { createPetstore, type Petstore } from "@petstore/petstore";
import { createDurableObjectStore, type DurableObjectBinding } from "@petstore/edge/d1";
import { env } from "cloudflare:workers";

export class PetsObject {
  readonly #petstore: Petstore;
  readonly #errors: string[] = [];
  readonly #begun = Promise.withResolvers<void>();
  #answered: Promise<Response> | undefined;

  constructor({ storage }: { storage: DurableObjectBinding }) {
    this.#petstore = createPetstore({
      store: createDurableObjectStore(storage),
      keys: env.PETSTORE_KEYS.split(","),
      onError: ({ error }) => this.#errors.push(String(error)),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/begun") {
      await this.#begun.promise;
      return new Response("The request has begun");
    }
    if (pathname === "/answered") {
      const response = await this.#answered!;
      return Response.json({ status: response.status, errors: this.#errors });
    }
    this.#answered = this.#petstore.handle(request);
    this.#begun.resolve();
    return await this.#answered;
  }
}

export default {
  async fetch(request: Request): Promise<Response> {
    const object = env.PETS.getByName("all");
    const ask = (path: string) => object.fetch(new Request(`http://pets.test${path}`));
    const client = new AbortController();
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
    const { headers } = request;
    const left = object.fetch(
      new Request("http://pets.test/v1/pets", { method: "POST", headers, body, signal: client.signal }),
    );
    await ask("/begun");
    client.abort();
    await left.catch(() => {});
    return await ask("/answered");
  },
};
