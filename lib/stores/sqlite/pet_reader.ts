import type { StatementSync } from "node:sqlite";
import { PET_JSON } from "../sql_tables.ts";
import { statusCode } from "../status_code.ts";
import type { PetPage, PetQuery } from "../store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { prepareExact } from "./transaction.ts";

/** The last integer of SQLite. It ends the last page, which no pet follows. */
export const INT64_MAX: bigint = 2n ** 63n - 1n;

// A test checks SQLite's plan for each of these statements. Their parameters have no names: early releases of Node 22 and 24 treat `?1` as
// a name, and with names, a list takes a tenth longer.

/** Reads the JSON of a pet. Parameter: the id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

/**
 * Reads a page of all pets, as a {@link PageRow}. It finds the first id after the page, and then reads the rows before
 * that id. `CROSS JOIN` holds SQLite to this order. An inner query with LIMIT for the rows would be slower, because SQLite
 * runs it as a co-routine.
 *
 * Parameters: after, limit, after.
 */
export const SELECT_PAGE = `
  SELECT json_group_array(${PET_JSON}) AS json, max(id) AS last, following
  FROM (
    SELECT (
      SELECT id FROM pets
      WHERE id > ?        -- after
      ORDER BY id
      LIMIT 1 OFFSET ?    -- limit
    ) AS following
  ) CROSS JOIN pets
  WHERE id > ?            -- after
    AND id <= ifnull(following - 1, ${INT64_MAX})  -- following is null on the last page`;

/** The same for the pets of one status. Parameters: status, after, limit, status, after. */
export const SELECT_PAGE_OF_STATUS = `
  SELECT json_group_array(${PET_JSON}) AS json, max(id) AS last, following
  FROM (
    SELECT (
      SELECT id FROM pets
      WHERE status = ?    -- status
        AND id > ?        -- after
      ORDER BY id
      LIMIT 1 OFFSET ?    -- limit
    ) AS following
  ) CROSS JOIN pets
  WHERE status = ?        -- status
    AND id > ?            -- after
    AND id <= ifnull(following - 1, ${INT64_MAX})  -- following is null on the last page`;

/** What {@link SELECT_PAGE} and {@link SELECT_PAGE_OF_STATUS} read. */
interface PageRow {
  /** The pets as a JSON array. */
  json: string;
  /** The last id of the page. */
  last: bigint;
  /** The first id after the page, or null if this is the last one. */
  following: bigint | null;
}

/** Reads pets by one connection, each pet or page by one statement, which gives the JSON. */
export class PetReader {
  readonly #connection: Connection;
  readonly #selectPet: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #selectPageOfStatus: StatementSync;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#selectPet = prepareExact(connection.db, SELECT_PET);
    this.#selectPage = prepareExact(connection.db, SELECT_PAGE);
    this.#selectPageOfStatus = prepareExact(connection.db, SELECT_PAGE_OF_STATUS);
  }

  get(id: bigint): string | undefined {
    const row = this.#read(() => this.#selectPet.get(id));
    return row?.["json"] as string | undefined;
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const row = this.#read(() => {
      if (status === undefined) return this.#selectPage.get(after, BigInt(limit), after);
      const code = BigInt(statusCode(status));
      return this.#selectPageOfStatus.get(code, after, BigInt(limit), code, after);
    });
    const { json, last, following } = row as unknown as PageRow;
    return following === null ? { json } : { json, next: last };
  }

  #read<T>(select: () => T): T {
    try {
      return select();
    } catch (error) {
      this.#recover();
      throw asUnavailable(error, this.#connection.givenPath);
    }
  }

  /**
   * Makes the connection ready for the next read, after one that has failed.
   *
   * @throws {StoreUnavailableError} If the file was overwritten, or its tables were altered: this says more than the error of the read.
   */
  #recover(): void {
    try {
      this.#connection.dropCachedPages();
      this.#connection.requireSchema();
    } catch (error) {
      throw asUnavailable(error, this.#connection.givenPath);
    }
  }
}
