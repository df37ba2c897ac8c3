import { PET_STATUSES } from "../pet.ts";
import { statusCode } from "./status_code.ts";

const STATUS_NAME: string = `CASE status ${
  PET_STATUSES.map((status) => `WHEN ${statusCode(status)} THEN '${status}'`).join(" ")
} END`;

/**
 * Exactly the format of formatPet(). SQLite is faster than `JSON.stringify()`, and writes integers to the last digit.
 */
export const PET_JSON: string =
  `json_object('id', id, 'name', name, 'categoryId', category_id, 'status', ${STATUS_NAME})`;
