/** The types of a description: plain JSON. */

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Any member, by its name. */
  [name: string]: Json;
}
