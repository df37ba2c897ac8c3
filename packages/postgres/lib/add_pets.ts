/**
 * Creates and imports add pets by one call of the SQL function `add_pets`, which takes arrays and
 * returns a row for each pet. Its SQL, with the lock, the ids and the remembered requests, is in
 * `schema/functions.ts`.
 */

import type { IdempotentRequest, PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import { type Outcome, statusCode, uncertainOutcomeError } from "@petstore/petstore/store/toolkit";
import type { Row } from "./client/connection.ts";
import { isTransient } from "./client/errors.ts";
import type { StatementQueue } from "./client/statement_queue.ts";
import { addStatement } from "./statements.ts";

/** The longest pause before a retry after a conflict. */
const MAX_PAUSE_MS = 20;

/**
 * Adds pets, all or none, and returns the outcome of each, in their order.
 *
 * @param requests Those of the first pets. The pets after them were created without a key.
 * @param deadline In milliseconds, as in `performance.now()`.
 */
export async function addPets(
  db: StatementQueue,
  pets: readonly PetDraft[],
  requests: readonly IdempotentRequest[],
  deadline: number,
): Promise<Outcome[]> {
  const rows = await callAddPets(db, addStatement(db.schema), addParameters(pets, requests), deadline);
  if (rows.length !== pets.length) throw unknownOutcome();
  return rows.map(outcomeOf);
}

/**
 * Adds the pets of an import, all or none. Their outcomes stay in PostgreSQL: to send a row for
 * each pet would take a tenth of an import.
 */
export async function addAllPets(db: StatementQueue, pets: readonly PetDraft[], deadline: number): Promise<void> {
  const statement = addStatement(db.schema, "count(*)::text");
  const [row] = await callAddPets(db, statement, addParameters(pets, []), deadline);
  if (row?.[0] !== String(pets.length)) throw unknownOutcome();
}

/** Runs a statement that calls `add_pets`, and again if it conflicts with other transactions. */
async function callAddPets(
  db: StatementQueue,
  statement: string,
  parameters: readonly string[],
  deadline: number,
): Promise<Row[]> {
  for (;;) {
    try {
      return await db.query(statement, parameters, { deadline, whatItStores: "pet" });
    } catch (error) {
      const pauseMs = Math.random() * MAX_PAUSE_MS;
      const hasTime = performance.now() + pauseMs < deadline;
      if (!hasTime || !isTransient((error as Error).cause)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
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

/** Reads a row of {@link addStatement}. */
function outcomeOf([outcome, id]: Row): Outcome {
  switch (outcome) {
    case "created":
    case "replayed":
      return { outcome, id: BigInt(id!) };
    case "conflict":
      return { outcome };
    default:
      throw unknownOutcome();
  }
}

function unknownOutcome(): StoreUnavailableError {
  return uncertainOutcomeError(new Error("PostgreSQL has not given an outcome for each pet"));
}

export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

function numberArray(numbers: readonly (number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
