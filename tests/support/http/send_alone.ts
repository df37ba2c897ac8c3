/** A client that shares no connection between requests. */

const ALONE = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/**
 * Sends a request on a connection of its own, and follows no redirection: on one whose last body was not read to its end,
 * some hosts take no further request, and close it while the client already writes the next.
 */
export function sendAlone(request: Request): Promise<Response> {
  return fetch(request, { redirect: "manual", client: ALONE });
}
