import type { StatementSync } from "node:sqlite";
import { PET_JSON } from "../database/sql_tables.ts";
import { statusCode } from "../status_code.ts";
import type { PetPage, PetQuery } from "../store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { prepareWithBigInts } from "./transaction.ts";

// A test checks SQLite's plan for each of these statements.

/** Reads the JSON of a pet. Parameter: the id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

const PETS_AS_JSON = `json_group_array(${PET_JSON}) AS json`;

/** Reads a page of all pets. Its condition has one parameter: after. */
export const SELECT_PAGE: string = pageStatement(PETS_AS_JSON);

/** Reads a page of the pets of one status. Its condition has two parameters: status, after. */
export const SELECT_PAGE_OF_STATUS: string = pageStatement(PETS_AS_JSON, "status = ? AND id > ?");

/**
 * Reads pets by one connection, each pet or page by one statement, which gives the JSON. The caller
 * looks for commits before each read ({@link SharedRead}).
 */
export class PetReader {
  readonly #connection: Connection;
  readonly #selectPet: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #selectPageOfStatus: StatementSync;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#selectPet = prepareWithBigInts(connection.db, SELECT_PET);
    this.#selectPage = prepareWithBigInts(connection.db, SELECT_PAGE);
    this.#selectPageOfStatus = prepareWithBigInts(connection.db, SELECT_PAGE_OF_STATUS);
  }

  get(id: bigint): string | undefined {
    const row = this.#read(() => this.#selectPet.get(id));
    return row?.["json"] as string | undefined;
  }

  list({ after, limit, status }: PetQuery): PetPage {
    const { json, last, following } = this.#read(() =>
      status === undefined
        ? readPage<{ json: string }>(this.#selectPage, [after], BigInt(limit))
        : readPage<{ json: string }>(this.#selectPageOfStatus, [BigInt(statusCode(status)), after], BigInt(limit))
    );
    return following === null ? { json } : { json, next: last };
  }

  #read<T>(select: () => T): T {
    try {
      this.#connection.sharedRead.join();
      return select();
    } catch (error) {
      this.#connection.sharedRead.end();
      this.#recover();
      throw asUnavailable(error, this.#connection.givenPath);
    }
  }

  /**
   * Makes the connection ready for the next read, after one that has failed.
   *
   * @throws {StoreUnavailableError} If the file was overwritten, or its tables were altered: this
   * says more than the error of the read.
   */
  #recover(): void {
    try {
      // SQLite drops the pages that it has cached. They may be wrong, if they were read while the disk failed.
      this.#connection.db.exec("PRAGMA shrink_memory");
      this.#connection.requireSchema();
    } catch (error) {
      throw asUnavailable(error, this.#connection.givenPath);
    }
  }
}

/**
 * Makes the statement that reads a page. It finds the first id after the page, which is called
 * `following`, and then reads the pets before that id.
 *
 * For example, five pets have the ids 1, 2, 4, 5 and 9, and the limit is 2:
 *
 * | after | following | pets of the page | last |
 * | ----: | --------: | ---------------- | ---: |
 * |     0 |         4 | 1, 2             |    2 |
 * |     2 |         9 | 4, 5             |    5 |
 * |     5 |    `NULL` | 9                |    9 |
 *
 * `9e999` is infinity: the last page has all pets that remain. `CROSS JOIN` makes SQLite find
 * `following` first. An inner query with `LIMIT` for the pets would be slower, because SQLite runs
 * it as a co-routine.
 *
 * @param columns What to read of the pets together.
 * @param condition Which pets follow the last page. Its parameters are bound by {@link readPage}.
 */
export function pageStatement(columns: string, condition = "id > ?"): string {
  return `
    SELECT ${columns}, max(id) AS last, following
    FROM (SELECT (SELECT id FROM pets WHERE ${condition} ORDER BY id LIMIT 1 OFFSET ?) AS following)
    CROSS JOIN pets
    WHERE ${condition} AND id < ifnull(following, 9e999)`;
}

/** Where a page ends. */
interface PageEnd {
  /** The last id of the page. */
  last: bigint;
  /** The first id after the page, or null if this is the last one. */
  following: bigint | null;
}

/**
 * Runs a statement of {@link pageStatement}, which has its condition twice, before the limit and
 * after it. The parameters have no names: early releases of Node 22 and 24 treat `?1` as a name,
 * and with names, a list takes a tenth longer.
 */
export function readPage<Columns>(page: StatementSync, condition: bigint[], limit: bigint): Columns & PageEnd {
  return page.get(...condition, limit, ...condition) as unknown as Columns & PageEnd;
}
