/** What a page does with the client. Its functions are global in the page. */

import { createClient } from "@petstore/client";

Object.assign(globalThis, {
  /** Sends both ends of int64 there and back, over several pages. Returns the categories as they were created, got and listed. */
  async roundTrip(baseUrl: string, key: string): Promise<string> {
    const { pets } = createClient({ baseUrl, key });
    const seen: bigint[] = [];
    for (const categoryId of [2n ** 63n - 1n, -(2n ** 63n)]) {
      const created = await pets.create({ name: "Rex", categoryId });
      seen.push(created.categoryId, (await pets.get(created.id)).categoryId);
    }
    for await (const { categoryId } of pets.list({ limit: 1 })) seen.push(categoryId);
    return seen.join();
  },

  /** Returns the categories of all pets. */
  async listCategories(baseUrl: string, key: string): Promise<string> {
    const { pets } = createClient({ baseUrl, key, maxRetries: 3 });
    return (await pets.list().toArray()).map(({ categoryId }) => categoryId).join();
  },
});
