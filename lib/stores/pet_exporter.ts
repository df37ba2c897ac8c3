/**
 * Receives pets in ascending order of id as NDJSON, the JSON of a pet on each line: whole lines without the last line's
 * end, and their number.
 */
export type PetSink = (text: string, pets: number) => Promise<void>;
