/** NDJSON: the JSON of a pet on each line. CSV: RFC 4180, but lines end with LF alone. */
export type ExportFormat = "ndjson" | "csv";

/** Receives pets in ascending order of id: whole lines without the last line's end, and their number. */
export type PetSink = (text: string, pets: number) => Promise<void>;

export const CSV_HEADER = "id,name,categoryId,status";
