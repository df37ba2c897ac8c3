/** The statements that read pets. All their parameters and columns are text, so that no number is rounded. */

import { PET_STATUSES, statusCode } from "@petstore/petstore/store/toolkit";
import { qualify } from "./qualify.ts";

/** The SQL expression for the name of a pet's status. */
const STATUS_NAME = `CASE ${
  PET_STATUSES.map((status) => `WHEN status = ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/** The SQL expression for the JSON of a pet, exactly in the format of formatPet(). json_build_object() would insert spaces. */
const PET_JSON = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id,
  ',"status":"', ${STATUS_NAME}, '"}')`;

export type ReadStatements = Record<"pet" | "all" | "ofStatus", string>;

/** Makes the statements that read the pets of a schema. Pages take the last id before them, and how many rows they may have. */
export function readStatements(schema: string): ReadStatements {
  const pets = `"${schema}".pets`;
  const page = (condition: string, order: string) =>
    // `ORDER BY id` would sort by the first column of the result, which is text.
    qualify(`SELECT id::text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} LIMIT $2::bigint`);
  return {
    pet: qualify(`SELECT ${PET_JSON} FROM ${pets} WHERE id = $1::bigint`),
    all: page("id > $1::bigint", "pet.id"),
    // The rows are compared with the status and the id together. With `status = $3`, the plan might scan the index of ids, which is slow
    // for a rare status.
    ofStatus: page(
      `(status, id) > ($3::smallint, $1::bigint) AND (status, id) <= ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
  };
}
