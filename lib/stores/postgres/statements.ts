/** The SQL of the store. All parameters and columns are text, so that no driver rounds numbers. */

import { PET_STATUSES } from "../../pet.ts";
import type { ExportFormat } from "../pet_exporter.ts";
import { statusCode } from "../status_code.ts";

const STATUS_NAME = `CASE ${
  PET_STATUSES.map((status) => `WHEN status OPERATOR(pg_catalog.=) ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/** A row as JSON, exactly in the format of formatPet(). json_build_object() would insert spaces. */
const PET_JSON = `pg_catalog.concat('{"id":', id, ',"name":', pg_catalog.to_json(name), ',"categoryId":', category_id,
  ',"status":"', ${STATUS_NAME}, '"}')`;

/** A row as CSV. */
const PET_CSV =
  `pg_catalog.concat(id, ',"', pg_catalog.replace(name, '"', '""'), '",', category_id, ',', ${STATUS_NAME})`;

/** The statements for one schema. */
export type Statements = ReturnType<typeof statementsFor>;

/**
 * Commits an empty change, and thus waits until a synchronous standby, if any, has all earlier commits. This is necessary
 * before a client learns that its pet was created earlier: cancelling that create may have ended its wait for the standby.
 */
export const CONFIRM =
  `SELECT pg_catalog.pg_logical_emit_message(true, 'petstore', ''::pg_catalog.text)::pg_catalog.text,
  CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off'
    THEN pg_catalog.set_config('synchronous_commit', 'on', true) END`;

/** With fewer pets, a plan that scans the table is harmless. */
export const MANY_PETS = 10_000n;

/**
 * The statements for a schema whose name has been validated.
 *
 * Each function, operator and type is qualified with its schema. Otherwise another role could create a better match in a
 * schema of the search path, and it would run with our privileges. For the same reason there is no `CASE x WHEN`, `IN` or
 * `BETWEEN`, which look up operators implicitly.
 *
 * @param size The greatest id seen so far. PostgreSQL may use a plan that was made for a small table, and so scan a large
 * one. So the text of the reads changes with each tenfold growth, and PostgreSQL plans them again.
 */
export function statementsFor(schema: string, size = 0n) {
  const pets = `"${schema}".pets`, requests = `"${schema}".requests`;
  const note = size < MANY_PETS ? "" : ` /* 1e${String(size).length - 1} */`;
  const page = (condition: string, order: string) =>
    // `ORDER BY id` would sort by the first column of the result, which is text.
    `SELECT id::pg_catalog.text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} ` +
    `LIMIT $2::bigint${note}`;
  return {
    /** One pet. Parameter: id. */
    pet: `SELECT ${PET_JSON} FROM ${pets} WHERE id OPERATOR(pg_catalog.=) $1::bigint${note}`,
    /** The ids and the JSON of the pets on a page. Parameters: after, limit. */
    all: page("id OPERATOR(pg_catalog.>) $1::bigint", "pet.id"),
    /** Like `all`, but only pets of one status. Parameters: after, limit, status. */
    // Not `status = $3`: one plan serves all statuses, and it might scan the index of ids, which is slow for a rare status.
    ofStatus: page(
      `(status, id) OPERATOR(pg_catalog.>) ($3::smallint, $1::bigint) ` +
        `AND (status, id) OPERATOR(pg_catalog.<=) ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
    /** Adds pets. Parameters, all arrays: names, categories, statuses, keys, fingerprints, retentions. */
    add: `SELECT "${schema}".add_pets($1::pg_catalog.text[], $2::bigint[], $3::smallint[], $4::pg_catalog.text[],
      $5::pg_catalog.text[], $6::bigint[])`,
    /** A request that is remembered: its fingerprint and the id of its pet. Parameter: key. */
    request:
      `SELECT fingerprint, pet_id::pg_catalog.text FROM ${requests} WHERE key OPERATOR(pg_catalog.=) $1::pg_catalog.text
      AND expires_at OPERATOR(pg_catalog.>)
        (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000)::bigint`,
    /** Deletes expired requests. Parameter: the largest number to delete. */
    deleteExpired: `SELECT "${schema}".forget_requests($1::integer)`,
  };
}

/**
 * Every pet as a line of text, with its id, and then a row of nulls that shows the end. Parameter: a text that is ignored, since only a
 * statement with parameters has a cursor.
 */
export function exportStatement(schema: string, format: ExportFormat): string {
  return `(SELECT id::pg_catalog.text, ${format === "csv" ? PET_CSV : PET_JSON} FROM "${schema}".pets AS pet
    WHERE $1::pg_catalog.text IS NOT NULL ORDER BY pet.id) UNION ALL SELECT NULL, NULL`;
}
