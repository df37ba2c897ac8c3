import type { Pet, PetStatus } from "../../../mod.ts";
import { Client } from "../../../tests/support/http/client.ts";
import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import { isPet, parsePets } from "./pets.ts";
import { get } from "../../../tests/support/http/requests.ts";

export interface Page {
  pets: Pet[];
  /** The target of the next page. */
  next: string | undefined;
}

/** A page of a list, read exactly. Throws if it is none. */
export function readPage(target: string, { text, headers }: SeenResponse): Page {
  const pets = parsePets(text);
  if (!Array.isArray(pets) || !pets.every(isPet)) throw new Error(`${target} was answered with no pets: ${text}`);
  return { pets, next: /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] };
}

/** All pets of a server, or those of one status, in its order. */
export async function readCatalogue(port: number, status?: PetStatus): Promise<Pet[]> {
  using client = new Client(port);
  const pets: Pet[] = [];
  let target: string | undefined = `/v1/pets?limit=100${status === undefined ? "" : `&status=${status}`}`;
  while (target !== undefined) {
    const page: Page = readPage(target, await read(client, target));
    pets.push(...page.pets);
    target = page.next;
  }
  return pets;
}

export async function readPet(port: number, id: bigint): Promise<Pet | undefined> {
  using client = new Client(port);
  const { status, text } = await read(client, `/v1/pets/${id}`, [200, 404]);
  const pet = parsePets(text);
  return status === 200 && isPet(pet) ? pet : undefined;
}

async function read(client: Client, target: string, expected: readonly number[] = [200]): Promise<SeenResponse> {
  const outcome = await client.send(get(target));
  if (outcome.kind === "answered" && expected.includes(outcome.response.status)) return outcome.response;
  throw new Error(`GET ${target} of a server that should be at rest: ${JSON.stringify(outcome)}`);
}
