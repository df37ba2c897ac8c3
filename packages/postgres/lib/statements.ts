/** The statements of the PostgreSQL store. All their parameters and columns are text, so that no number is rounded. */

import { PET_STATUSES, statusCode } from "@petstore/petstore/store/toolkit";

/** The SQL expression for the name of a pet's status. */
const STATUS_NAME = `CASE ${
  PET_STATUSES.map((status) => `WHEN status OPERATOR(pg_catalog.=) ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/** The SQL expression for the JSON of a pet, exactly in the format of formatPet(). json_build_object() would insert spaces. */
const PET_JSON = `pg_catalog.concat('{"id":', id, ',"name":', pg_catalog.to_json(name), ',"categoryId":', category_id,
  ',"status":"', ${STATUS_NAME}, '"}')`;

export type Statements = ReturnType<typeof statementsFor>;

/**
 * The SQL expression that makes a commit wait for the disk even if the setting of the role is "off", because what is acknowledged must
 * survive a crash. A statement has it as a column.
 */
export const DURABLE = `CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END`;

/** The first id at which reads get a new text, and so a new plan. */
export const MANY_PETS = 10_000n;

/**
 * Makes the statements for a schema. All names in them are qualified, since another role could create a better match in the search path,
 * which would run with our privileges. So there is no `CASE x WHEN`, `IN` or `BETWEEN`, which look up operators.
 *
 * @param greatestId The greatest id so far. With each tenfold growth, reads get a new text, and so a new plan.
 */
export function statementsFor(schema: string, greatestId = 0n) {
  const pets = `"${schema}".pets`;
  const sizeComment = greatestId < MANY_PETS ? "" : ` /* 1e${String(greatestId).length - 1} */`;
  const page = (condition: string, order: string) =>
    // `ORDER BY id` would sort by the first column of the result, which is text.
    `SELECT id::pg_catalog.text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} ` +
    `LIMIT $2::bigint${sizeComment}`;
  return {
    pet: `SELECT ${PET_JSON} FROM ${pets} WHERE id OPERATOR(pg_catalog.=) $1::bigint${sizeComment}`,
    all: page("id OPERATOR(pg_catalog.>) $1::bigint", "pet.id"),
    // The rows are compared with the status and the id together. With `status = $3`, the plan might scan the index of ids, which is slow
    // for a rare status.
    ofStatus: page(
      `(status, id) OPERATOR(pg_catalog.>) ($3::smallint, $1::bigint) ` +
        `AND (status, id) OPERATOR(pg_catalog.<=) ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
    lastId: `SELECT coalesce(pg_catalog.max(id), 0)::pg_catalog.text FROM ${pets}`,
    upTo: page("id OPERATOR(pg_catalog.>) $1::bigint AND id OPERATOR(pg_catalog.<=) $3::bigint", "pet.id"),
    /** All parameters are arrays: names, categories, statuses, keys, fingerprints, retentions. */
    add: `SELECT "${schema}".add_pets($1::pg_catalog.text[], $2::bigint[], $3::smallint[], $4::pg_catalog.text[],
      $5::pg_catalog.text[], $6::bigint[])`,
    deleteExpired: `SELECT "${schema}".forget_requests($1::integer)`,
  };
}
