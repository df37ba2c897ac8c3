/** The statements of the PostgreSQL store. Every parameter and every column is text: no driver rounds that. */

import { PET_STATUSES, type PetStatus } from "../pet.ts";

/** What the column `status` holds. */
const STATUS_CODES: ReadonlyMap<PetStatus, string> = new Map([["available", "0"], ["pending", "1"], ["sold", "2"]]);

/** What the column `status` holds for a status, in digits. */
export function statusCode(status: PetStatus): string {
  const code = STATUS_CODES.get(status);
  if (code === undefined) throw new TypeError("The status of a pet must be one of the three");
  return code;
}

/** The JSON of a row, as formatPet() writes it: json_build_object() would put spaces in. */
const PET_JSON = `'{"id":' || id || ',"name":' || to_json(name) || ',"categoryId":' || category_id || ',"status":"' ||
  CASE status ${
  PET_STATUSES.map((status) => `WHEN ${STATUS_CODES.get(status)} THEN '${status}'`).join(" ")
} END || '"}'`;

/** The statements for one schema. */
export interface Statements {
  /** One pet: id. */
  pet: string;
  /** The id and the JSON of each pet of a page: after, limit. */
  all: string;
  /** The same for one status: after, limit, status. */
  ofStatus: string;
  /** Adds pets: names, categories, statuses, keys, fingerprints, expiries, now. */
  add: string;
}

/** The statements for a schema, whose name has been checked. */
export function statementsFor(schema: string): Statements {
  const pets = `"${schema}".pets`;
  const page = (condition: string, order: string) =>
    // Not ORDER BY id, which would be the column of the answer, and text.
    `SELECT id::text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} LIMIT $2::bigint`;
  return {
    pet: `SELECT ${PET_JSON} FROM ${pets} WHERE id = $1::bigint`,
    all: page("id > $1::bigint", "pet.id"),
    // Not status = $3: then the index of ids would give the order too, and PostgreSQL, which does not plan for each status,
    // would go through all pets in search of a rare one.
    ofStatus: page(
      `(status, id) > ($3::smallint, $1::bigint) AND (status, id) <= ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
    add: `SELECT "${schema}".add_pets($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::bigint[],
      $7::bigint)`,
  };
}

/** An array as PostgreSQL reads it. Drivers write arrays too, but not alike. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;
}

/** The same of numbers. */
export function numberArray(numbers: readonly (string | number | bigint)[]): string {
  return `{${numbers.join(",")}}`;
}
