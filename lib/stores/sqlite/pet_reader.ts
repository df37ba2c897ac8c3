import type { StatementSync } from "node:sqlite";
import { PET_JSON } from "../database/sql_tables.ts";
import { statusCode } from "../status_code.ts";
import type { PetPage, PetQuery } from "../store.ts";
import type { Connection } from "./connection.ts";
import { asUnavailable } from "./errors.ts";
import { pageStatement, readPage } from "./page_statement.ts";
import { prepareWithBigInts } from "./transaction.ts";

// A test checks SQLite's plan for each of these statements.

/** Reads the JSON of a pet. Parameter: the id. */
export const SELECT_PET = `SELECT ${PET_JSON} AS json FROM pets WHERE id = ?`;

const PETS_AS_JSON = `json_group_array(${PET_JSON}) AS json`;

/** Reads a page of all pets. Its condition has one parameter: after. */
export const SELECT_PAGE: string = pageStatement(PETS_AS_JSON);

/** Reads a page of the pets of one status. Its condition has two parameters: status, after. */
export const SELECT_PAGE_OF_STATUS: string = pageStatement(PETS_AS_JSON, "status = ? AND id > ?");

/** Reads pets by one connection, each pet or page by one statement, which gives the JSON. */
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
      return select();
    } catch (error) {
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
      this.#connection.dropCachedPages();
      this.#connection.requireSchema();
    } catch (error) {
      throw asUnavailable(error, this.#connection.givenPath);
    }
  }
}
