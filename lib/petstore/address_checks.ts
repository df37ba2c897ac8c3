/**
 * Checks of the options that become a part of paths and links: where the petstore is mounted, and
 * where clients find it.
 */

import { text } from "../option_checks.ts";

/** Makes the check of a base path, such as `/v1`. The base path of the root is "". */
export function basePathOr(fallback: string) {
  return text('a path such as "/v1", without a slash at its end', parseBasePath, fallback);
}

/** Makes the check of a public address, such as `https://api.example/v1`, or of a path. */
export function addressOr<Fallback>(fallback: Fallback) {
  return text('an address such as "https://api.example/v1", or a path', parseAddress, fallback);
}

/** A base path is compared with decoded paths, so it must have no escape sequence. */
function parseBasePath(path: string): string | undefined {
  if (path === "" || path === "/") return "";
  return /^(\/[^%/]+)+$/.test(path) ? parseAddress(path) : undefined;
}

/**
 * Removes the slash at the end of an address or a path. Valid are `https://api.example/v1/` and
 * `/v1`, and not `v1`.
 *
 * @returns The address, or undefined if it is not valid.
 */
function parseAddress(given: string): string | undefined {
  if (given === "") return undefined;
  const address = given.replace(/\/$/, "");
  // A path is checked with an origin before it. Two slashes would be the beginning of another origin.
  const isPath = address === "" || /^\/(?!\/)/.test(address);
  return isNormalized(isPath ? `http://h${address}` : address) ? address : undefined;
}

/**
 * Whether an address is in the form in which the parser of URLs writes it, as it becomes a part of
 * links. `HTTPS://api.example` and `https://api.example/a/../v1` are not.
 */
function isNormalized(address: string): boolean {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  // The parser allows more in a host than names have, such as a semicolon, which would end a
  // directive of a Content-Security-Policy.
  if (!/^[\w.:[\]-]*$/.test(url.host)) return false;
  return (url.origin + url.pathname).replace(/\/$/, "") === address;
}
