/** Checks that what was refused has changed nothing. */

import type { Api } from "./api.ts";
import { assert, assertStatus } from "./assert.ts";
import { addPet, pagesFrom } from "./catalogue.ts";
import { isOdd } from "./exact.ts";
import { STATUSES } from "../pet_values.ts";

/** How many ids are tried between two pets, and how many pages of a list are read. */
const MOST_IDS = 300n, MOST_PAGES = 20;

const LISTS = ["?limit=100", ...STATUSES.map((status) => `?limit=100&status=${status}`)];

/**
 * Sends requests that are refused, and then looks for their pets: under the ids between a pet before and one after, as far as they
 * are near, and in lists.
 *
 * @param mark A part of the names that these requests send, which are odd: see {@link isOdd}.
 */
export async function storesNothing(api: Api, mark: string, send: () => Promise<void>): Promise<void> {
  const before = await addPet(api);
  await send();
  const after = await addPet(api);
  for (let id = before + 1n; id < after && after - before <= MOST_IDS; id++) {
    const { status, text } = await api.get(`/pets/${id}`);
    const isStored = status === 200 && isOdd(JSON.parse(text));
    assert.ok(!isStored, "A request was refused, and its pet is stored all the same");
  }
  for (const query of LISTS) {
    for await (const response of pagesFrom(api, query, MOST_PAGES)) {
      assertStatus(response, 200);
      assert.ok(!response.text.includes(mark), `A request was refused, and the list ${query} has its pet`);
    }
  }
}
