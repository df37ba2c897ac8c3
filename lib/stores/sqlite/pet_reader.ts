import type { StatementSync } from "node:sqlite";
import { PET_JSON } from "../sql_tables.ts";
import { statusCode } from "../status_code.ts";
import type { PetPage, PetQuery } from "../store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { prepareExact } from "./transaction.ts";

const INT64_MAX = 2n ** 63n - 1n;

// A test checks SQLite's plan for each of these statements.

/** Reads the JSON of a pet. Parameter: the id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

/** Reads a page of all pets. Parameters: after, limit, after. */
export const SELECT_PAGE: string = pageStatement("id > ?");

/** Reads a page of the pets of one status. Parameters: status, after, limit, status, after. */
export const SELECT_PAGE_OF_STATUS: string = pageStatement("status = ? AND id > ?");

/** A row of the two statements above, with a whole page. */
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
    // The condition of a statement comes twice: for the pet after the page, and for the page. So do the values for it.
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

/**
 * Makes a statement that gives one row for a page. `last` is the last id of the page, and `following` the first id after the page, or null
 * if this is the last one. For speed, the inner query finds the following id first, and the outer one reads all rows before it: SQLite runs
 * an aggregate over a query with LIMIT as a slow co-routine.
 *
 * @param condition Which pets are on the page. It comes before the limit, and again after it. It writes a parameter as `?`: early releases
 * of Node 22 and 24 treat `?1` as a name, and parameters with names make a list a tenth slower.
 * @param columns What else the row has. By default, it is a {@link PageRow}.
 */
export function pageStatement(condition: string, columns = `json_group_array(${PET_JSON}) AS json`): string {
  return `SELECT ${columns}, max(id) AS last, following
    FROM (SELECT (SELECT id FROM pets WHERE ${condition} ORDER BY id LIMIT 1 OFFSET ?) AS following) CROSS JOIN pets
    WHERE ${condition} AND id <= ifnull(following - 1, ${INT64_MAX})`;
}
