/** The library of a tree, through its exports alone, with pets in memory. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Petstore } from "../../mod.ts";
import { KEY, petAt, requestTo } from "../catalogue.ts";

/**
 * @param root The folder with the tree's mod.ts.
 * @param pets The pets of the catalogue.
 */
export async function openLibrary(root: string, pets: number): Promise<Petstore> {
  const { createPetstore }: typeof import("../../mod.ts") = await import(pathToFileURL(join(root, "mod.ts")).href);
  const petstore = createPetstore({ keys: [KEY] });
  for (let id = 1; id <= pets; id++) {
    await petstore.handle(requestTo("http://localhost/v1/pets", JSON.stringify(petAt(id))));
  }
  return petstore;
}
