/** When `GET /pets/{petId}` was deprecated, in seconds since 1970 (RFC 9745). */
export const DEPRECATED_SINCE = 1_795_132_800;

/** The announced removal date of that operation, as an HTTP date (RFC 8594). This code still serves it afterwards. */
export const SUNSET = "Thu, 05 Dec 2030 00:00:00 GMT";
