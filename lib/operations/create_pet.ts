/**
 * The operation `createPet`: its parameters, its description and its handler. A request with an `Idempotency-Key` goes to `createOnce()` of
 * the store, and any other to `create()`.
 */

import type { Call } from "../http/operation.ts";
import { extendReply, JSON_FIELDS, type Reply } from "../http/reply.ts";
import type { JsonObject } from "./json_types.ts";
import { chain } from "../promises.ts";
import { formatPetWithId } from "../pet.ts";
import type { PetDraft } from "../stores/store.ts";
import { type Definition, type Describe, linkBaseOf, type OperationSettings } from "./definition.ts";
import { group } from "./failure_groups.ts";
import {
  digest,
  IDEMPOTENCY_KEY_REUSED,
  IDEMPOTENCY_NOT_SUPPORTED,
  INVALID_IDEMPOTENCY_KEY,
  readIdempotencyKey,
  scopedKey,
} from "./idempotency.ts";
import { createPetReader, describePetBody, petBodyFailures } from "./pet_body.ts";
import { STORED_REX } from "./schemas.ts";

export const createPet: Definition = {
  id: "createPet",
  method: "POST",
  effect: "writes",
  path: "/pets",
  createHandler(settings) {
    const { store } = settings;
    const linkBase = linkBaseOf(settings);
    const readPet = createPetReader(settings);
    return (call) => {
      const { context } = call;
      const idempotencyKey = readIdempotencyKey(context);
      if (idempotencyKey === undefined) {
        return readPet(context, (pet) => chain(store.create(pet), (id) => createdReply(linkBase, id, pet)));
      }
      if (!store.createOnce) return IDEMPOTENCY_NOT_SUPPORTED;
      return readPet(context, (pet) => createIdempotently(settings, pet, call, idempotencyKey));
    };
  },
};

async function createIdempotently(
  settings: OperationSettings,
  pet: PetDraft,
  { caller }: Call,
  idempotencyKey: string,
): Promise<Reply> {
  // The fingerprint is made of the pet and not of the bytes, because a retry may format its JSON differently. The pet has no id yet, so 0
  // takes its place.
  const [key, fingerprint] = await Promise.all([
    scopedKey(caller.id, idempotencyKey),
    digest(formatPetWithId(0, pet)),
  ]);
  const request = { key, fingerprint, retentionMs: settings.idempotencyRetentionMs };
  const result = await settings.store.createOnce!(pet, request);
  if (result.outcome === "conflict") return IDEMPOTENCY_KEY_REUSED;
  const reply = createdReply(linkBaseOf(settings), result.id, pet);
  if (result.outcome === "created") return reply;
  return extendReply(reply, { "idempotency-replayed": "true" });
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
        example: STORED_REX,
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

const HOUR = 3_600_000;

function describeIdempotency(retentionMs: number): JsonObject {
  return {
    externalDocs: {
      url: "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/",
      description: "The Idempotency-Key header",
    },
    parameters: [{
      name: "Idempotency-Key",
      in: "header",
      description: "Makes it safe to repeat the request. A second request with the same key and the same animal " +
        "gets the first response again, with `Idempotency-Replayed: true`, and adds nothing. Use a new key for each " +
        "new animal, such as the UUID `8e03978e-40d5-43dd-bc93-6894a57f9324`, with or without quotes. " +
        `The key is remembered for ${retentionMs / HOUR} hours. ` +
        "The same key from another caller is a different key.",
      // There is no example, because some documentation pages would send it with every request.
      schema: { type: "string", minLength: 1 },
    }],
  };
}
