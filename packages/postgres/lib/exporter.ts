import { StoreUnavailableError } from "@petstore/petstore/store";
import type { PetSink } from "@petstore/petstore/store/toolkit";
import { Database, type PostgresStoreOptions } from "./client/database.ts";
import { asUnavailable } from "./client/errors.ts";
import { type Connection, ignore, type PostgresPool, requireColumns, runStatement, TEXTS } from "./client/pool.ts";
import { inspect, requireTables } from "./schema/inspection.ts";
import { exportStatement } from "./statements.ts";

const PETS_PER_FETCH = 1000;

/** Exports all pets, in ascending order of id, as they are at one moment: a cursor keeps its snapshot. */
export async function exportPostgres(
  pool: PostgresPool,
  options: PostgresStoreOptions,
  write: PetSink,
): Promise<void> {
  const db = new Database(pool, options);
  let connection: Connection | undefined;
  /** Why the export has failed. The pool then closes the connection. */
  let failure: Error | undefined;
  /** Whether `write` is running, whose failure is none of PostgreSQL. */
  let isWriting = false;
  try {
    requireTables(db, await inspect(db));
    connection = await pool.connect() as Connection;
    connection.on("error", ignore);
    await runStatement(
      connection,
      `BEGIN READ ONLY; DECLARE pets_to_export CURSOR FOR ${exportStatement(db.schema)}`,
      null,
      undefined,
    );
    for (let isComplete = false; !isComplete;) {
      const { rows } = await connection.query({
        text: `FETCH ${PETS_PER_FETCH} FROM pets_to_export`,
        values: [],
        rowMode: "array",
        types: TEXTS,
      });
      requireColumns(rows, 2);
      // After the last pet there is a row of nulls, so that rows that simply end are noticed.
      isComplete = rows.at(-1)?.[0] === null;
      if (rows.length === 0) throw new StoreUnavailableError("PostgreSQL: the rows end before the last pet");
      const pets = isComplete ? rows.slice(0, -1) : rows;
      if (pets.length === 0) continue;
      isWriting = true;
      await write(pets.map(([, line]) => line).join("\n"), pets.length);
      isWriting = false;
    }
    await runStatement(connection, "COMMIT", null, undefined);
  } catch (error) {
    failure = error as Error;
    throw isWriting ? error : asUnavailable(error);
  } finally {
    connection?.release(failure);
    connection?.off("error", ignore);
    db.release();
  }
}
