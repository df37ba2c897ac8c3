/** The statements of the PostgreSQL store. Every parameter and every column is text: no driver rounds that. */

import { PET_STATUSES, type PetStatus } from "../../pet.ts";

/** What the column `status` holds. */
const STATUS_CODES: ReadonlyMap<PetStatus, string> = new Map([["available", "0"], ["pending", "1"], ["sold", "2"]]);

/** What the column `status` holds for a status, in digits. */
export function statusCode(status: PetStatus): string {
  const code = STATUS_CODES.get(status);
  if (code === undefined) throw new TypeError("The status of a pet must be one of the three");
  return code;
}

/** The JSON of a row, as formatPet() writes it: json_build_object() would put spaces in. */
const PET_JSON = `pg_catalog.concat('{"id":', id, ',"name":', pg_catalog.to_json(name), ',"categoryId":', category_id,
  ',"status":"', CASE ${
  PET_STATUSES.map((status) => `WHEN status OPERATOR(pg_catalog.=) ${STATUS_CODES.get(status)} THEN '${status}'`)
    .join(" ")
} END, '"}')`;

/** The statements for one schema. */
export interface Statements {
  /** One pet: id. */
  pet: string;
  /** The id and the JSON of each pet of a page: after, limit. */
  all: string;
  /** The same for one status: after, limit, status. */
  ofStatus: string;
  /** Adds pets: names, categories, statuses, keys, fingerprints, retentions. */
  add: string;
  /** Forgets requests that have expired: how many at most. */
  forget: string;
}

/** From so many pets on, it matters how a table is read. */
export const MANY_PETS = 10_000n;

/**
 * The statements for a schema, whose name has been checked.
 *
 * Every function, operator and type is named with its schema. Otherwise whoever may create in a schema of the search path
 * could make one that fits better, and it would run with our rights; so there is no CASE x WHEN, IN or BETWEEN either,
 * which look for an operator by themselves.
 *
 * @param size The greatest id that has been seen. A statement that was prepared while the table was small keeps a plan that
 * reads all of it, until PostgreSQL next counts the rows. So each tenfold growth has another text, which is planned anew.
 */
export function statementsFor(schema: string, size = 0n): Statements {
  const pets = `"${schema}".pets`;
  const note = size < MANY_PETS ? "" : ` /* 1e${String(size).length - 1} */`;
  const page = (condition: string, order: string) =>
    // Not ORDER BY id, which would be the column of the answer, and text.
    `SELECT id::pg_catalog.text, ${PET_JSON} FROM ${pets} AS pet WHERE ${condition} ORDER BY ${order} ` +
    `LIMIT $2::bigint${note}`;
  return {
    pet: `SELECT ${PET_JSON} FROM ${pets} WHERE id OPERATOR(pg_catalog.=) $1::bigint${note}`,
    all: page("id OPERATOR(pg_catalog.>) $1::bigint", "pet.id"),
    // Not status = $3: then the index of ids would give the order too, and PostgreSQL, which does not plan for each status,
    // would go through all pets in search of a rare one.
    ofStatus: page(
      `(status, id) OPERATOR(pg_catalog.>) ($3::smallint, $1::bigint) ` +
        `AND (status, id) OPERATOR(pg_catalog.<=) ($3::smallint, ${2n ** 63n - 1n})`,
      "status, pet.id",
    ),
    add: `SELECT "${schema}".add_pets($1::pg_catalog.text[], $2::bigint[], $3::smallint[], $4::pg_catalog.text[],
      $5::pg_catalog.text[], $6::bigint[])`,
    forget: `SELECT "${schema}".forget_requests($1::integer)`,
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
