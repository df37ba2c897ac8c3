/** Uses a petstore with each store of a new app, and prints the responses. */

import { rmSync } from "node:fs";

export async function exchange({ createPetstore, createMemoryStore }, { createSqliteStore }) {
  const told = [];
  for (const store of [createMemoryStore(), createSqliteStore(":memory:"), createSqliteStore("pets.db")]) {
    const { handle } = createPetstore({ store, keys: ["pk_example"] });
    const call = async (method, path, body) => {
      const headers = { authorization: "Bearer pk_example", "content-type": "application/json" };
      const response = await handle(
        new Request(`http://localhost/v1/${path}`, { method, headers, body }),
      );
      return `${response.status} ${await response.text()}`;
    };
    told.push([
      await call("POST", "pets", '{"name":"Luna","categoryId":9223372036854775807}'),
      await call("GET", "pets?status=available"),
      await call("GET", "pets/1"),
    ]);
    await store.close();
  }
  rmSync("pets.db");
  console.log(JSON.stringify(told));
}
