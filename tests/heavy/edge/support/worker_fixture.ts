/** Stores in two Workers that share databases, as a fixture for the store contract. */

import assert from "node:assert/strict";
import type { StoreFixture } from "../../../../packages/conformance/mod.ts";
import { storeScript } from "./bundle.ts";
import { remoteStore } from "./remote_store.ts";
import { Workers } from "./workerd.ts";

/** The names of the folders in `workers/`, and the first parts of the paths in store_worker.ts. */
export type StoreInWorkers = "d1" | "object";

/** Each database slows down every start. A case needs one, for its namespace. */
const DATABASES = ["DB0", "DB1"];

export async function startFixture(kind: StoreInWorkers): Promise<StoreFixture & AsyncDisposable> {
  const script = await storeScript();
  const workers = new Workers({ scripts: [script, script], databases: DATABASES.length });
  let opened = 0;
  /** The database of each namespace. */
  const databases = new Map<string, string>();
  const urlOf = async (namespace: string, name: string) => {
    const free = DATABASES.find((each) => ![...databases.values()].includes(each));
    const database = kind === "object" ? namespace : databases.get(namespace) ?? free;
    assert.ok(database, "All databases are in use");
    databases.set(namespace, database);
    const origins = await workers.origins();
    return `${origins[opened % origins.length]}/${kind}/${database}/${name}`;
  };
  return {
    sharing: "machines",
    /** Opens a store in each Worker in turn. */
    open: async (namespace) => remoteStore(await urlOf(namespace, `open${++opened}`)),
    async remove(namespace) {
      if (kind === "d1") await (await fetch(`${await urlOf(namespace, "last")}/drop`)).body?.cancel();
      databases.delete(namespace);
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  };
}
