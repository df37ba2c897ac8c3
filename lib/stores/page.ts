import type { PetPage } from "./store.ts";

/**
 * The page of rows with the id and the JSON of a pet each.
 *
 * @param rows In order. One more than the page may have shows that there is a next page.
 */
export function pageOf(rows: readonly { id: unknown; json: unknown }[], limit: number): PetPage {
  const shown = rows.slice(0, limit);
  const json = `[${shown.map(({ json }) => json).join(",")}]`;
  return rows.length > limit ? { json, next: BigInt(String(shown.at(-1)!.id)) } : { json };
}
