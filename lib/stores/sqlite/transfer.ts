import { PET_JSON, type PetSink } from "../database/sql_tables.ts";
import type { PetDraft } from "../store.ts";
import { unavailableFrom } from "./errors.ts";
import { findDatabase, readSnapshot } from "./inspection.ts";
import { openDatabase } from "./open.ts";
import { pageStatement, readPage } from "./pet_reader.ts";
import { beginWrite, prepareWithBigInts, runAndCommit } from "./transaction.ts";
import { WriteTransactions } from "./write_transactions.ts";

/** After this many pets, a signal can end the import. */
const PETS_PER_TURN = 2_000;

/**
 * Adds pets in one transaction, for which the creates of other programs wait. The file is created
 * as a store creates it.
 *
 * @throws What the signal says, if it is aborted before the end. Nothing was added then.
 */
export async function importPets(
  path: string,
  pets: readonly PetDraft[],
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  const connection = openDatabase(path);
  try {
    const transactions = new WriteTransactions(connection);
    beginWrite(connection.db);
    for (let start = 0; start < pets.length; start += PETS_PER_TURN) {
      transactions.apply(pets.slice(start, start + PETS_PER_TURN).map((pet) => ({ kind: "create", pet })));
      // The process handles a signal in a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    // The transaction has all pets now. It is committed only if the file is still in its place.
    runAndCommit(connection.db, () => connection.requireCommittable());
    return { isNew: connection.isNew };
  } catch (error) {
    throw signal.aborted ? signal.reason : unavailableFrom(error, path);
  } finally {
    // Closing the connection rolls back what was not committed.
    connection.close();
  }
}

/** Reads a page as the lines of an export, and counts them. */
const EXPORT_PAGE = pageStatement(`group_concat(${PET_JSON}, char(10)) AS text, count(*) AS count`);

const PETS_PER_PAGE = 1000n;

/** The id after which the first page begins. Ids that another program has assigned may be negative. */
const INT64_MIN = -(2n ** 63n);

/**
 * Writes all pets in ascending order of id, in one read transaction. The write-ahead log grows
 * meanwhile.
 *
 * @throws {StoreUnavailableError} If the file cannot be read.
 * @throws What `write` throws.
 */
export async function exportDatabase(path: string, write: PetSink): Promise<void> {
  await readSnapshot(findDatabase(path), async (db) => {
    const select = prepareWithBigInts(db, EXPORT_PAGE);
    let after = INT64_MIN;
    for (;;) {
      const page = readPage<{ text: string; count: bigint }>(select, [after], PETS_PER_PAGE);
      if (page.count > 0n) await write(page.text, Number(page.count));
      if (page.following === null) return;
      after = page.last;
    }
  });
}
