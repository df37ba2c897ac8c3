/** What a program does with the client: both ends of int64 there and back, over several pages. */

import { createClient } from "@petstore/client";

/** The categories as they were created, got and listed. */
export async function roundTrip(baseUrl: string, key: string): Promise<string> {
  const { pets } = createClient({ baseUrl, key });
  const seen: bigint[] = [];
  for (const categoryId of [2n ** 63n - 1n, -(2n ** 63n)]) {
    const created = await pets.create({ name: "Rex", categoryId });
    seen.push(created.categoryId, (await pets.get(created.id)).categoryId);
  }
  for await (const { categoryId } of pets.list({ limit: 1 })) seen.push(categoryId);
  return seen.join();
}

/** The categories of all pets. */
export async function listCategories(baseUrl: string, key: string): Promise<string> {
  const { pets } = createClient({ baseUrl, key, maxRetries: 3 });
  return (await pets.list().toArray()).map(({ categoryId }) => categoryId).join();
}
