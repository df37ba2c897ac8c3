/** Reads CSV (RFC 4180). */

import { type NewPet, parsePetFields } from "../../pet.ts";
import { SettingError } from "../start_error.ts";

const QUOTE = '"';

/** The fields of a record, or its fault. */
export function parseCsvRecord(text: string): string[] | { fault: string } {
  const fields: string[] = [];
  for (let start = 0;;) {
    const isQuoted = text[start] === QUOTE;
    const field = isQuoted ? readQuoted(text, start + 1) : readPlain(text, start);
    if ("fault" in field) return field;
    fields.push(field.text);
    if (field.end === text.length) return fields;
    start = field.end + 1;
  }
}

/** A field, and the index of the comma after it or the length of the text. */
type Field = { text: string; end: number } | { fault: string };

function readPlain(text: string, start: number): Field {
  const comma = text.indexOf(",", start);
  const end = comma < 0 ? text.length : comma;
  const field = text.slice(start, end);
  if (field.includes(QUOTE)) return { fault: "a field with a quote must be in quotes, and the quote be doubled" };
  return { text: field, end };
}

function readQuoted(text: string, start: number): Field {
  let close = text.indexOf(QUOTE, start);
  while (close >= 0 && text[close + 1] === QUOTE) close = text.indexOf(QUOTE, close + 2);
  if (close < 0) return { fault: "a closing quote is missing" };
  const end = close + 1;
  if (end < text.length && text[end] !== ",") return { fault: "after a closing quote, only a comma may follow" };
  return { text: text.slice(start, close).replaceAll('""', QUOTE), end };
}

/** The indexes of a pet's members in a record. */
export interface Columns {
  count: number;
  name: number;
  categoryId: number;
  /** −1 if the column is absent. */
  status: number;
}

/** @throws {SettingError} If the record is not the header of a file of pets. */
export function readHeader(text: string | undefined): Columns {
  const names = text === undefined ? { fault: "it is not valid UTF-8" } : parseCsvRecord(text);
  if ("fault" in names) throw headerError(names.fault);
  const indexOf = (name: string) => {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw headerError(`it has ${name} twice`);
    return names.indexOf(name);
  };
  const columns = {
    count: names.length,
    name: indexOf("name"),
    categoryId: indexOf("categoryId"),
    status: indexOf("status"),
  };
  if (columns.name < 0) throw headerError("it has no name");
  if (columns.categoryId < 0) throw headerError("it has no categoryId");
  return columns;
}

function headerError(fault: string): SettingError {
  return new SettingError(
    `The first line must name the columns, such as name,categoryId,status, with the case of the letters: ${fault}`,
  );
}

/** The pet of a record, or its faults. */
export function readCsvPet(text: string, columns: Columns): Required<NewPet> | string[] {
  const fields = parseCsvRecord(text);
  if ("fault" in fields) return [fields.fault];
  if (fields.length !== columns.count) {
    return [`it must have ${columns.count} fields, as the first line has, not ${fields.length}`];
  }
  const { name, categoryId, status } = columns;
  return parsePetFields(fields[name]!, fields[categoryId]!, fields[status] || "available");
}
