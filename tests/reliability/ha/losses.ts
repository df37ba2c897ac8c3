/** What became of acknowledged pets, where a failover may lose some. */

import { readCatalogue } from "../shared/catalogue.ts";
import type { Create } from "../shared/journal.ts";

export interface Losses {
  /** Acknowledged creates whose pet is not there. */
  lost: Create[];
  /** Acknowledged creates whose pet is there with another id: the client repeated the create. */
  moved: number;
  /** Acknowledged ids that another pet has. */
  givenAgain: number;
}

export async function findLosses(port: number, creates: readonly Create[]): Promise<Losses> {
  const pets = await readCatalogue(port);
  const names = new Map(pets.map(({ id, name }) => [name, id]));
  const ids = new Map(pets.map(({ id, name }) => [id, name]));
  const losses: Losses = { lost: [], moved: 0, givenAgain: 0 };
  for (const create of creates) {
    const { id, pet, isAcknowledged } = create;
    if (!isAcknowledged || id === undefined) continue;
    const found = names.get(pet.name);
    if (found === undefined) losses.lost.push(create);
    else if (found !== id) losses.moved++;
    const other = ids.get(id);
    if (other !== undefined && other !== pet.name) losses.givenAgain++;
  }
  return losses;
}
