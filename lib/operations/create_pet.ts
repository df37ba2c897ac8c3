/**
 * The operation `createPet`. A request with an `Idempotency-Key` goes to `createOnce()` of the
 * store, and any other to `create()`. A thrown `Problem` refuses a request.
 */

import { extendReply, JSON_FIELDS, type Reply } from "../http/reply.ts";
import { formatPetWithId } from "../pet.ts";
import type { PetDraft } from "../stores/store.ts";
import { type Definition, type Describe, linkBaseOf } from "./definition.ts";
import { group } from "./failure_groups.ts";
import {
  describeIdempotency,
  digest,
  IDEMPOTENCY_KEY_REUSED,
  IDEMPOTENCY_NOT_SUPPORTED,
  INVALID_IDEMPOTENCY_KEY,
  readIdempotencyKey,
  scopedKey,
} from "./idempotency.ts";
import { createPetReader, describePetBody, petBodyFailures } from "./pet_body.ts";
import { PET_EXAMPLE } from "./schemas.ts";

export const createPet: Definition = {
  id: "createPet",
  method: "POST",
  effect: "writes",
  path: "/pets",
  createHandler(settings) {
    const { store, idempotencyRetentionMs: retentionMs } = settings;
    const linkBase = linkBaseOf(settings);
    const readPet = createPetReader(settings);

    return async ({ context, caller }) => {
      const idempotencyKey = readIdempotencyKey(context);
      if (idempotencyKey === undefined) {
        const pet = await readPet(context);
        return createdReply(linkBase, await store.create(pet), pet);
      }
      if (!store.createOnce) throw IDEMPOTENCY_NOT_SUPPORTED;
      const pet = await readPet(context);
      const [key, fingerprint] = await Promise.all([scopedKey(caller.id, idempotencyKey), fingerprintOf(pet)]);
      const result = await store.createOnce(pet, { key, fingerprint, retentionMs });
      if (result.outcome === "conflict") throw IDEMPOTENCY_KEY_REUSED;
      const reply = createdReply(linkBase, result.id, pet);
      return result.outcome === "created" ? reply : extendReply(reply, { "idempotency-replayed": "true" });
    };
  },
};

/**
 * Tells whether two requests add the same pet. It is made of the pet and not of the bytes, because
 * a retry may format its JSON differently.
 */
function fingerprintOf(pet: PetDraft): Promise<string> {
  // The pet has no id yet, so 0 takes its place.
  return digest(formatPetWithId(0, pet));
}

function createdReply(linkBase: string, id: bigint, pet: PetDraft): Reply {
  // A store that the app has written may return something else than an id, and then no client could ask for the pet.
  if (typeof id !== "bigint" || id < 1n || id > Number.MAX_SAFE_INTEGER) {
    throw new TypeError("The store must return the id of a new pet as a bigint from 1 to 2^53 - 1");
  }
  return {
    status: 201,
    headers: { ...JSON_FIELDS, location: `${linkBase}/pets/${id}` },
    body: formatPetWithId(id, pet),
  };
}

// The description for OpenAPI.

export const describeCreatePet: Describe = (settings) => {
  const { store, idempotencyRetentionMs } = settings;
  const remembersRequests = store.createOnce !== undefined;
  return {
    tag: "animals",
    summary: "Add an animal",
    description: "Adds an animal. The service assigns the `id`, and answers with 201 after the animal is stored.",
    ownMembers: {
      ...(remembersRequests ? describeIdempotency(idempotencyRetentionMs) : {}),
      requestBody: describePetBody(settings),
    },
    responses: {
      201: {
        description: "The created animal, including the assigned `id`.",
        schema: "Pet",
        example: PET_EXAMPLE,
        headers: remembersRequests ? ["Location", "IdempotencyReplayed"] : ["Location"],
      },
    },
    failures: [
      ...petBodyFailures(settings),
      group("an invalid Idempotency-Key", [INVALID_IDEMPOTENCY_KEY]),
      remembersRequests
        ? group("the Idempotency-Key was used for another animal", [IDEMPOTENCY_KEY_REUSED])
        : group("Idempotency-Key is not supported here", [IDEMPOTENCY_NOT_SUPPORTED]),
    ],
  };
};
