/** Locked tables, and the connections that wait for them. */

// @ts-types="@types/pg"
import { Client } from "pg";
import { runSql } from "./postgres.ts";

/** Holds a lock that keeps everybody from a table until `use` is done, or gives it back. */
export async function withLockedTable<T>(
  url: string,
  table: string,
  use: (unlock: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let isLocked = true;
  const unlock = async () => {
    if (isLocked) await client.query("COMMIT");
    isLocked = false;
  };
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return await use(unlock);
  } finally {
    await unlock();
    await client.end();
  }
}

/** How many connections wait for a lock in statements that name a schema. */
export async function countWaiting(url: string, schema: string): Promise<number> {
  const [row] = await runSql(
    url,
    `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'
      AND pid <> pg_backend_pid()`,
  );
  return Number(row?.[0]);
}
