/** The deprecation of operations. */

import type { HeaderFields } from "./reply.ts";

/** When an operation is removed, and its replacement. */
export interface Deprecation {
  /** In seconds since 1970 (RFC 9745). */
  since: number;
  /** The announced day of its removal, as an HTTP date (RFC 8594). The code serves it afterwards too. */
  sunset: string;
  /** The path of its successor below the base path (RFC 5829). */
  successor: string;
}

/** @param linkBase The beginning of each link. */
export function deprecationFields({ since, sunset, successor }: Deprecation, linkBase: string): HeaderFields {
  return { deprecation: `@${since}`, sunset, link: `<${linkBase}${successor}>; rel="successor-version"` };
}
