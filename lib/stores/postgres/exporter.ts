import type { PetSink } from "../pet_exporter.ts";
import { StoreUnavailableError } from "../store.ts";
import { Database, type PostgresStoreOptions } from "./client/client.ts";
import { type PostgresJsClient, requireColumns } from "./client/driver.ts";
import { asUnavailable } from "./client/errors.ts";
import { inspect, requireTables } from "./schema/inspection.ts";
import { exportStatement } from "./statements.ts";

const PAGE = 1000;

interface ReadableQuery {
  values(): ReadableQuery;
  cursor(rows: number): AsyncIterable<[id: string | null, line: string | null][]>;
}

/** In ascending order of id. One statement reads them all, so it sees one moment. */
export async function exportPostgres(
  makeClient: () => PostgresJsClient,
  { prepare = true, ...options }: PostgresStoreOptions,
  write: PetSink,
): Promise<void> {
  const client = makeClient();
  const db = new Database(client, { prepare, ...options });
  let isWriting = false, isComplete = false;
  try {
    requireTables(db, await inspect(db));
    const query = client.unsafe(exportStatement(db.schema), [""], { prepare }) as unknown as ReadableQuery;
    for await (const rows of query.values().cursor(PAGE)) {
      requireColumns(rows, 2);
      const isEnd = rows.at(-1)?.[0] === null;
      isComplete ||= isEnd;
      const pets = isEnd ? rows.slice(0, -1) : rows;
      if (pets.length === 0) continue;
      isWriting = true;
      await write(pets.map(([, line]) => line).join("\n"), pets.length);
      isWriting = false;
    }
    // In postgres.js 3.4.9, the rows simply end if the connection is lost.
    if (!isComplete) {
      const cause = new Error("The rows have no end");
      throw new StoreUnavailableError("PostgreSQL: the connection was lost before the last pet", { cause });
    }
  } catch (error) {
    throw isWriting ? error : asUnavailable(error);
  } finally {
    await client.end?.({ timeout: 1 });
  }
}
