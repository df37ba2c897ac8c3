/** What a page does with the client. Its functions are global in the page. */

import { createClient } from "@petstore/client";

Object.assign(globalThis, {
  /** Adds pets of these categories. Returns the categories as they were created, got and listed, over several pages. */
  async roundTrip(baseUrl: string, key: string, ...categories: string[]): Promise<string> {
    const { pets } = createClient({ baseUrl, key, maxRetries: 3 });
    const seen: bigint[] = [];
    for (const categoryId of categories.map(BigInt)) {
      const created = await pets.create({ name: "Rex", categoryId });
      seen.push(created.categoryId, (await pets.get(created.id)).categoryId);
    }
    for await (const { categoryId } of pets.list({ limit: 1 })) seen.push(categoryId);
    return seen.join();
  },
});
