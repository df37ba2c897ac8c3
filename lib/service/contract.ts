/** Dates that the interface promises. */

/** Since when `GET /pets/{petId}` is deprecated, in seconds since 1970 (RFC 9745). */
export const DEPRECATED_SINCE = 1_795_132_800;

/** When it is to be removed, as an HTTP date (RFC 8594). It keeps working after that date. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";
