import { parsePetFields, type PetDraft } from "../../pet.ts";
import { SettingError } from "../process/start_error.ts";

/** A field in quotes or without, and what ends it. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

export function parseCsvRecord(text: string): string[] | { fault: string } {
  const fields: string[] = [];
  for (let start = 0;; start = FIELD.lastIndex) {
    FIELD.lastIndex = start;
    const [, quoted, plain, end] = FIELD.exec(text) ?? [];
    if (end === undefined) return { fault: "a field with a quote must be in quotes, and each quote in it be doubled" };
    fields.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
    if (end === "") return fields;
  }
}

/** @throws {SettingError} If the record is not the header of a file of pets. */
export function readHeader(text: string | undefined): string[] {
  const names = text === undefined ? { fault: "it is not valid UTF-8" } : parseCsvRecord(text);
  if ("fault" in names) throw headerError(names.fault);
  if (names.length === 1 && /[;\t]/.test(text ?? "")) throw headerError("commas must separate the columns");
  for (const name of ["name", "categoryId", "status"]) {
    if (names.indexOf(name) !== names.lastIndexOf(name)) throw headerError(`it has ${name} twice`);
    if (name !== "status" && !names.includes(name)) throw headerError(`it has no ${name}`);
  }
  return names;
}

function headerError(fault: string): SettingError {
  return new SettingError(
    `The first line must name the columns, such as name,categoryId,status, with the case of the letters: ${fault}`,
  );
}

export function readCsvPet(text: string, columns: readonly string[]): PetDraft | string[] {
  const fields = parseCsvRecord(text);
  if ("fault" in fields) return [fields.fault];
  if (fields.length !== columns.length) {
    return [`it must have ${columns.length} fields, as the first line has, not ${fields.length}`];
  }
  const fieldOf = (name: string) => fields[columns.indexOf(name)] ?? "";
  return parsePetFields(fieldOf("name"), fieldOf("categoryId"), fieldOf("status") || "available");
}
