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
      await call("GET", "pets"),
      await call("POST", "pets", '{"name":"Luna","categoryId":9223372036854775807}'),
      await call("POST", "pets", '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}'),
      await call("GET", "pets?limit=1"),
      await call("GET", "pets?status=sold"),
      await call("GET", "pets/1"),
      await call("GET", "pets/3"),
    ]);
    await store.close();
  }
  rmSync("pets.db");
  console.log(JSON.stringify(told));
}
