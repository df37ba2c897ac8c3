import type { StatementSync } from "node:sqlite";

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
