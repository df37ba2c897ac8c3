/** The types of a description: plain JSON. */

/** A JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** A member of the object, whatever its name is. */
  [name: string]: Json;
}
