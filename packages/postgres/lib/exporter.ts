import { StoreUnavailableError } from "@petstore/petstore/store";
import type { PetSink } from "@petstore/petstore/store/toolkit";
import { Database, type PostgresStoreOptions } from "./client/database.ts";
import { asUnavailable } from "./client/errors.ts";
import { type Connection, type PostgresPool, requireColumns, TEXTS } from "./client/pool.ts";
import { inspect, requireTables } from "./schema/inspection.ts";
import { exportStatement } from "./statements.ts";

const PETS_PER_FETCH = 1000;

/** How much longer than a request a part of an export may take. An export that waits for a lost host must end, too. */
const PATIENCE = 10;

/** Exports all pets, in ascending order of id, as they are at one moment: a cursor keeps its snapshot. */
export async function exportPostgres(
  pool: PostgresPool,
  options: PostgresStoreOptions,
  write: PetSink,
): Promise<void> {
  const db = new Database(pool, options);
  let connection: Connection | undefined;
  /** The first error of the connection, which says most: later ones say that it has ended. */
  let lost: Error | undefined;
  const keep = (error: Error) => void (lost ??= error);
  /** Why the export has failed. The pool then closes the connection. */
  let failure: Error | undefined;
  /** Whether `write` is running, whose failure is none of PostgreSQL. */
  let isWriting = false;
  try {
    requireTables(db, await inspect(db));
    connection = await pool.connect() as Connection;
    connection.on("error", keep);
    const limits = { query_timeout: PATIENCE * db.timeoutMs };
    const declaration = `DECLARE pets_to_export CURSOR FOR ${exportStatement(db.schema)}`;
    await connection.query({ text: `BEGIN READ ONLY; ${declaration}`, ...limits });
    for (let isComplete = false; !isComplete;) {
      const { rows } = await connection.query({
        text: `FETCH ${PETS_PER_FETCH} FROM pets_to_export`,
        values: [],
        rowMode: "array",
        types: TEXTS,
        ...limits,
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
    await connection.query({ text: "COMMIT", ...limits });
  } catch (error) {
    failure = lost ?? error as Error;
    throw isWriting ? error : asUnavailable(failure);
  } finally {
    connection?.release(failure);
    connection?.off("error", keep);
    db.release();
  }
}
