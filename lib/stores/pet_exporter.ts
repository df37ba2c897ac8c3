/** The types that the exports of all stores share. */

/** NDJSON: the JSON of a pet on each line. CSV: RFC 4180, but lines end with LF alone. */
export type ExportFormat = "ndjson" | "csv";

/**
 * Receives pets in ascending order of id.
 *
 * @param text Whole lines, without the last line's end.
 * @param pets How many they are.
 * @param share The share of the store that has been written, from 0 to 1.
 * @returns Resolves when the sink is ready for more pets.
 */
export type PetSink = (text: string, pets: number, share: number) => Promise<void>;

/** The first line of CSV. */
export const CSV_HEADER = "id,name,categoryId,status";
