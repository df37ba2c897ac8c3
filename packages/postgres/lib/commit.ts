import { type IdempotentRequest, type PetDraft, StoreUnavailableError } from "@petstore/petstore/store";
import {
  Batch,
  FULL_BATCH,
  type Outcome,
  type PendingWrite,
  requireValid,
  statusCode,
  storeClosed,
  uncertain,
  type Write,
} from "@petstore/petstore/store/toolkit";
import { numberArray, textArray } from "./client/arrays.ts";
import type { Database } from "./client/database.ts";
import { isTransient } from "./client/errors.ts";

/** The longest pause before a retry after a conflict. */
const MAX_PAUSE_MS = 20;

/** A create that waits for its commit. */
interface Create extends PendingWrite {
  write: Exclude<Write, { kind: "probe" }>;
  /** When the create came, in milliseconds as in `performance.now()`. */
  arrivedAt: number;
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/**
 * Commits the creates of a store in batches, each by one statement.
 *
 * @param statement The call of `add_pets`.
 */
export function createGroupCommit(db: Database, statement: string) {
  /** The batch runs one statement at a time: a second one would only wait for the lock of the first. */
  const batch = new Batch<Create>({ resource: "PostgreSQL", choose: chooseCreates, commit });

  function write(write: Write): Promise<Outcome> {
    switch (write.kind) {
      case "create":
      case "createOnce":
        return add(write);
      case "probe":
        return probe();
    }
  }

  function add(write: Create["write"]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      requireValid(write.pet);
      if (write.pet.name.includes("\0")) throw new TypeError("The name of a pet on PostgreSQL cannot contain U+0000");
      batch.add({ write, arrivedAt: performance.now(), resolve, reject });
    });
  }

  /** Finds out whether a create would succeed, by the statement of a create without a pet. */
  async function probe(): Promise<Outcome> {
    if (batch.isClosed) throw storeClosed();
    await addPets(db, statement, parametersOf([]), performance.now() + db.timeoutMs);
    return { outcome: "probed" };
  }

  async function commit(waiting: readonly Create[]): Promise<void> {
    const creates = refuseLate(waiting, performance.now() - db.timeoutMs / 2);
    if (creates.length === 0) return;
    // The statement must end in time for the oldest create, because no pet may be stored after its client has been refused.
    const deadline = Math.min(...creates.map(({ arrivedAt }) => arrivedAt)) + db.timeoutMs;
    try {
      const ids = (await addPets(db, statement, parametersOf(creates), deadline)).split(",");
      if (ids.length !== creates.length) throw uncertain(new Error("PostgreSQL has not given an id for each pet"));
      for (const [i, { resolve }] of creates.entries()) resolve(outcomeOf(ids[i]!));
    } catch (error) {
      for (const { reject } of creates) reject(error);
    }
  }

  return { batch, write };
}

/**
 * Rejects the creates that have waited for earlier ones for half of the time limit, since the other half is for the statement.
 *
 * @returns The other creates.
 */
function refuseLate(waiting: readonly Create[], earliestArrival: number): Create[] {
  const isLate = ({ arrivedAt }: Create) => arrivedAt < earliestArrival;
  const tooLate = new StoreUnavailableError("PostgreSQL did not finish the earlier creates in time");
  for (const { reject } of waiting.filter(isLate)) reject(tooLate);
  return waiting.filter((create) => !isLate(create));
}

/**
 * Runs a statement that adds pets, again and again if it conflicts with other transactions, until the deadline. Returns what `add_pets`
 * returns.
 *
 * @param deadline In milliseconds, as in `performance.now()`.
 */
export async function addPets(
  db: Database,
  statement: string,
  parameters: string[],
  deadline: number,
): Promise<string> {
  for (;;) {
    try {
      const [row] = await db.query(statement, parameters, { deadline, mayStore: "pet" });
      if (typeof row?.[0] !== "string") throw uncertain(new Error("PostgreSQL has not reported what it has done"));
      return row[0];
    } catch (error) {
      const { cause } = error as StoreUnavailableError;
      if (!isTransient(cause)) throw error;
      const pauseMs = Math.random() * MAX_PAUSE_MS;
      if (performance.now() + pauseMs >= deadline) {
        throw new StoreUnavailableError("Other transactions conflicted with each attempt to add the pet", { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/**
 * Chooses the creates of a commit. Those with a key come first, as `add_pets` requires. Of several creates with one key, only the first is
 * chosen, and the others wait.
 */
function chooseCreates(waiting: readonly Create[]): { chosen: Create[]; rest: Create[] } {
  const keyed = new Map<string, Create>();
  const plain: Create[] = [];
  const rest: Create[] = [];
  for (const create of waiting) {
    const key = requestOf(create)?.key;
    if (keyed.size + plain.length >= FULL_BATCH || (key !== undefined && keyed.has(key))) rest.push(create);
    else if (key === undefined) plain.push(create);
    else keyed.set(key, create);
  }
  return { chosen: [...keyed.values(), ...plain], rest };
}

function requestOf({ write }: Create): IdempotentRequest | undefined {
  return write.kind === "createOnce" ? write.request : undefined;
}

/** Makes the parameters of `add_pets`. */
function parametersOf(creates: readonly Create[]): string[] {
  const requests = creates.flatMap((create) => requestOf(create) ?? []);
  return [
    ...petArrays(creates.map(({ write }) => write.pet)),
    textArray(requests.map(({ key }) => key)),
    textArray(requests.map(({ fingerprint }) => fingerprint)),
    numberArray(requests.map(({ retentionMs }) => retentionMs)),
  ];
}

/** Makes the parameters of `add_pets` that describe the pets: their names, categories and statuses. */
export function petArrays(pets: readonly PetDraft[]): string[] {
  return [
    textArray(pets.map(({ name }) => name)),
    numberArray(pets.map(({ categoryId }) => categoryId)),
    numberArray(pets.map(({ status }) => statusCode(status))),
  ];
}

/** Reads what `add_pets` has said of a create: the id of a new pet, the negative id of a known one, or "" for a conflict. */
function outcomeOf(text: string): Outcome {
  if (text === "") return { outcome: "conflict" };
  const id = BigInt(text);
  return id > 0n ? { outcome: "created", id } : { outcome: "replayed", id: -id };
}
