/**
 * A Worker that lets a test call the methods of its stores: `POST /d1/DB7/open1/create` with the arguments. Each name after the
 * database is a store of its own; `session` is one on a session of the database. A Durable Object does the same for its own database.
 */

import { createD1Store, createDurableObjectStore, type D1Binding, type DurableObjectBinding } from "@petstore/edge/d1";
import type { PetStore } from "../../../../lib/stores/store.ts";
import { withClock } from "../../../../packages/conformance/lib/clock.ts";
import { decode, encode } from "./remote_values.ts";

interface Env {
  PETS: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
  [database: string]: unknown;
}

const stores = new Map<string, PetStore>();

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const [kind, namespace = "", name = "", method = ""] = partsOf(request);
    if (kind === "object") return env.PETS.getByName(namespace).fetch(request);
    const key = `${namespace}/${name}`;
    const database = env[namespace] as D1Binding & { withSession(): D1Binding };
    if (method === "drop") return drop(database);
    return call(
      () => {
        const store = stores.get(key) ?? createD1Store(name === "session" ? database.withSession() : database);
        stores.set(key, store);
        return store;
      },
      method,
      request,
    );
  },
};

async function drop(database: D1Binding): Promise<Response> {
  const tables = ["schema", "pets", "requests", "keys"];
  await database.batch(tables.map((name) => database.prepare(`DROP TABLE IF EXISTS petstore_${name}`)));
  return new Response();
}

/** A Durable Object that keeps pets. */
export class PetsObject {
  readonly #storage: DurableObjectBinding;
  readonly #stores = new Map<string, PetStore>();

  constructor({ storage }: { storage: DurableObjectBinding }) {
    this.#storage = storage;
  }

  fetch(request: Request): Promise<Response> {
    const [, , name = "", method = ""] = partsOf(request);
    const store = this.#stores.get(name) ?? createDurableObjectStore(this.#storage);
    this.#stores.set(name, store);
    return call(() => store, method, request);
  }
}

function partsOf({ url }: Request): string[] {
  return new URL(url).pathname.split("/").slice(1);
}

/** Responds as soon as the method has started, and sends its outcome in the body. */
async function call(open: () => PetStore, method: string, request: Request): Promise<Response> {
  const [clockAhead, ...args] = decode(await request.text()) as [number, ...unknown[]];
  // The method is, for example, "create" or "keys.add".
  const [name = "", ofKeys] = method.split(".");
  const run = async () => {
    const store = open();
    const target = (ofKeys === undefined ? store : store.keys) as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >;
    return await target[ofKeys ?? name]!(...args);
  };
  const outcome = (clockAhead === 0 ? run() : withClock(clockAhead, run))
    .then((value) => ({ value }), ({ name, message }: Error) => ({ error: { name, message } }));
  return new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(encode(await outcome)));
        controller.close();
      },
    }),
  );
}
