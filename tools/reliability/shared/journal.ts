/** The creates that clients intended, their responses, and the findings of the audits. */

import type { Pet } from "../../../mod.ts";
import type { SeenResponse } from "../../../tests/support/openapi_validator.ts";
import type { Finding, FindingKind } from "./finding.ts";
import { type IntendedPet, isPet, isSamePet, parsePets } from "./pets.ts";

/** A create that a client wants to happen once, however often it asks. */
export interface Create {
  pet: IntendedPet;
  id: bigint | undefined;
  isAcknowledged: boolean;
  /** Whether the outcome of an earlier try is unknown: a retry may be a replay or the first. */
  isUncertain: boolean;
}

export class Journal {
  readonly findings: Finding[] = [];
  /** Acknowledged creates, each counted once. */
  acknowledged = 0;
  /** Responses with `Idempotency-Replayed`. */
  replays = 0;
  readonly #creates = new Map<string, Create>();
  readonly #reported = new Set<string>();
  #onAcknowledged = () => {};
  /** The highest id before the last audit. */
  #floor = 0n;

  intend(pet: IntendedPet): Create {
    const create = { pet, id: undefined, isAcknowledged: false, isUncertain: false };
    if (this.#creates.has(pet.name)) throw new Error(`There are two pets with the name ${pet.name}`);
    this.#creates.set(pet.name, create);
    return create;
  }

  /** The create that was to store a pet of this name. */
  find(name: string): Create | undefined {
    return this.#creates.get(name);
  }

  creates(): Create[] {
    return [...this.#creates.values()];
  }

  unanswered(): Create[] {
    return this.creates().filter(({ isAcknowledged }) => !isAcknowledged);
  }

  /** Reports a fault once, although every audit finds it. */
  report(kind: FindingKind, detail: string): void {
    if (this.#reported.has(detail)) return;
    this.#reported.add(detail);
    this.findings.push({ kind, detail });
  }

  /** New ids must be above this one. */
  raiseFloor(id: bigint): void {
    if (id > this.#floor) this.#floor = id;
  }

  /** Records the response to a create, and what is wrong with it. */
  take(create: Create, response: SeenResponse): void {
    const pet = this.#readPet(create, response);
    if (!pet) return;
    const isReplay = response.headers.get("idempotency-replayed") === "true";
    if (isReplay) this.replays++;
    if (create.id !== undefined) this.#compareWithFirst(create.id, pet, isReplay);
    else if (isReplay && !create.isUncertain) this.report("replay", `${show(pet)}: a first try was called a replay`);
    else if (!isReplay && pet.id <= this.#floor) this.report("unordered", `${show(pet)}: there was ${this.#floor}`);
    create.id ??= pet.id;
    this.acknowledge(create);
  }

  /** Records that a client knows its pet to be stored. */
  acknowledge(create: Create): void {
    if (!create.isAcknowledged) this.acknowledged++;
    create.isAcknowledged = true;
    create.isUncertain = false;
    this.#onAcknowledged();
  }

  nextAcknowledged(): Promise<void> {
    return new Promise((resolve) => this.#onAcknowledged = resolve);
  }

  #readPet({ pet: intended }: Create, { headers, text }: SeenResponse): Pet | undefined {
    const pet = parsePets(text);
    const location = headers.get("location");
    if (isPet(pet) && isSamePet(pet, intended) && location === `/v1/pets/${pet.id}`) return pet;
    this.report("response", `The create of ${intended.body} was acknowledged as ${text} at ${location}`);
    return undefined;
  }

  #compareWithFirst(id: bigint, pet: Pet, isReplay: boolean): void {
    if (pet.id !== id) this.report("replay", `${show(pet)}: it was stored as ${id} before, and is now twice there`);
    else if (!isReplay) {
      this.report("replay", `${show(pet)}: a retry had the right response, and was not called a replay`);
    }
  }
}

export function show({ id, name, categoryId, status }: Pet): string {
  return `pet ${id} (${JSON.stringify(name)}, ${categoryId}, ${status})`;
}
