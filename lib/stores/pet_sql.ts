/** A row of the table of pets as JSON, for SQLite wherever it runs: in `node:sqlite`, D1 or a Durable Object. */

import { PET_STATUSES } from "../pet.ts";
import { statusCode } from "./status_code.ts";

/** The status as text. */
export const STATUS_NAME: string = `CASE status ${
  PET_STATUSES.map((status) => `WHEN ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/**
 * A row exactly in the format of formatPet(). SQLite builds it in half the time that objects and `JSON.stringify()` would
 * take, and it writes integers to the last digit.
 */
export const PET_JSON: string =
  `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', ${STATUS_NAME})`;
