/** A catalogue to begin with: the same believable pets for everyone who asks for as many. */

import type { PetStatus } from "../../pet.ts";
import type { PetDraft } from "../../stores/store.ts";

const NAMES = [
  ..."Bella Max Luna Charlie Lucy Cooper Daisy Milo Sadie Rocky Molly Bear Maggie Duke Sophie Tucker Chloe Jack".split(
    " ",
  ),
  ..."Penny Toby Zoey Oliver Rosie Leo Nala Oscar Stella Finn Gracie Louie Ruby Simba Coco Jasper Hazel Felix".split(
    " ",
  ),
  ..."Willow Gizmo Pepper Ziggy Olive Loki Ginger Archie Poppy Otis Mimi Biscuit Ivy Pickles Juniper Waffles".split(
    " ",
  ),
  ..."Zoë Mílo Łatka Søren Žofka André Íris Noël 咪咪 ポチ Мурка".split(" "),
];

/** The kinds of each category. The first category is 1. More pets are of the first ones. */
const CATEGORIES: readonly (readonly string[])[] = [
  ["Beagle", "Labrador", "Border Collie", "Dachshund", "Poodle", "Corgi", "Greyhound", "Mongrel"],
  ["Tabby", "Siamese", "Maine Coon", "Persian", "Bengal", "Calico", "Sphynx"],
  ["Lop Rabbit", "Angora Rabbit", "Guinea Pig", "Hamster", "Ferret", "Chinchilla"],
  ["Canary", "Budgerigar", "Cockatiel", "Zebra Finch", "African Grey"],
  ["Goldfish", "Guppy", "Betta", "Angelfish", "Koi"],
  ["Leopard Gecko", "Corn Snake", "Tortoise", "Chameleon"],
];

/** Pets of each hundred that are available, and those that are available or pending. */
const AVAILABLE = 65, NOT_SOLD = 82;

/** The pet with this number, from 0. Nothing but the number decides about it. */
export function samplePet(number: number): PetDraft {
  const name = pick(NAMES, scatter(number, 1));
  // The smaller of two, so that the first categories have more.
  const places = [2, 3].map((purpose) => Math.floor(scatter(number, purpose) * CATEGORIES.length));
  const category = Math.min(...places);
  const kind = pick(CATEGORIES[category]!, scatter(number, 4));
  return { name: `${name} the ${kind}`, categoryId: BigInt(category + 1), status: statusOf(scatter(number, 5)) };
}

function statusOf(share: number): PetStatus {
  const percent = 100 * share;
  return percent < AVAILABLE ? "available" : percent < NOT_SOLD ? "pending" : "sold";
}

function pick<T>(items: readonly T[], share: number): T {
  return items[Math.floor(share * items.length)]!;
}

/** A number from 0 to below 1 that looks random (the finalizer of MurmurHash3), another one for each purpose. */
function scatter(number: number, purpose: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca77);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return ((hash ^ hash >>> 16) >>> 0) / 2 ** 32;
}
