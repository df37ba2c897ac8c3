/** The library of a tree, through its exports alone, with its pets in memory, on the usual server of the runtime. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AUTHORIZATION, KEY, petAt } from "../catalogue.ts";
import { listen, readSettings } from "./host.ts";

export interface LibrarySettings {
  /** The folder with its mod.ts. */
  root: string;
  /** Pets in the catalogue. */
  pets: number;
}

const { root, pets } = readSettings<LibrarySettings>();
const { createPetstore }: typeof import("../../mod.ts") = await import(pathToFileURL(join(root, "mod.ts")).href);
const petstore = createPetstore({ keys: [KEY] });
const headers = { authorization: AUTHORIZATION, "content-type": "application/json" };
for (let id = 1; id <= pets; id++) {
  const body = JSON.stringify(petAt(id));
  await petstore.handle(new Request("http://localhost/v1/pets", { method: "POST", headers, body }));
}
await listen(petstore);
