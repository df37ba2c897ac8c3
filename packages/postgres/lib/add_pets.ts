/** The call of the function `add_pets`, by which creates and imports add pets. */

import type { IdempotentRequest, PetDraft } from "@petstore/petstore/store";
import { statusCode, uncertainOutcomeError } from "@petstore/petstore/store/toolkit";
import type { StatementQueue } from "./client/statement_queue.ts";
import { isTransient } from "./client/errors.ts";

/** The longest pause before a retry after a conflict. */
const MAX_PAUSE_MS = 20;

/**
 * Adds pets, all or none, and tries it again if it conflicts with other transactions. Returns what `add_pets` says of each: the id of a new
 * pet, the negative id of a known one, or "" for a conflict.
 *
 * @param requests Those of the first pets. The pets after them were created without a key.
 * @param deadline In milliseconds, as in `performance.now()`.
 */
export async function addPets(
  db: StatementQueue,
  pets: readonly PetDraft[],
  requests: readonly IdempotentRequest[],
  deadline: number,
): Promise<string[]> {
  const statement = addStatement(db.schema);
  const parameters = addParameters(pets, requests);
  for (;;) {
    try {
      const [row] = await db.query(statement, parameters, { deadline, whatItStores: "pet" });
      const ids = row?.[0]?.split(",") ?? [];
      if (ids.length < pets.length) {
        throw uncertainOutcomeError(new Error("PostgreSQL has not given an id for each pet"));
      }
      return ids;
    } catch (error) {
      const pauseMs = Math.random() * MAX_PAUSE_MS;
      const hasTime = performance.now() + pauseMs < deadline;
      if (!hasTime || !isTransient((error as Error).cause)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Makes the statement that calls `add_pets`. */
export function addStatement(schema: string): string {
  return `SELECT "${schema}".add_pets($1::pg_catalog.text[], $2::bigint[], $3::smallint[], $4::pg_catalog.text[],
    $5::pg_catalog.text[], $6::bigint[])`;
}

/** Makes the parameters of `add_pets`: arrays in PostgreSQL's notation, because all parameters are texts. */
export function addParameters(pets: readonly PetDraft[], requests: readonly IdempotentRequest[]): string[] {
  return [
    textArray(pets.map(({ name }) => name)),
    numberArray(pets.map(({ categoryId }) => categoryId)),
    numberArray(pets.map(({ status }) => statusCode(status))),
    textArray(requests.map(({ key }) => key)),
    textArray(requests.map(({ fingerprint }) => fingerprint)),
    numberArray(requests.map(({ retentionMs }) => retentionMs)),
  ];
}

export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

function numberArray(numbers: readonly (number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
