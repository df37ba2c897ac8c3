// @ts-types="@types/pg"
import { Client } from "pg";
import { runSql } from "./postgres.ts";

/** Locks a table while `use` runs, or until it calls `unlock`. */
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

export async function countWaiting(url: string, schema: string): Promise<number> {
  const [row] = await runSql(
    url,
    `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}%'
      AND pid <> pg_backend_pid()`,
  );
  return Number(row?.[0]);
}
