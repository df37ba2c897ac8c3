const ALONE = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/**
 * Sends a request on a new connection and follows no redirection. After a body that was not read to its end, some hosts
 * close the connection while the client writes its next request.
 */
export function sendAlone(request: Request): Promise<Response> {
  return fetch(request, { redirect: "manual", client: ALONE });
}

/** Sends a request on any connection to its host, and follows no redirection. */
export function sendOn(request: Request): Promise<Response> {
  return fetch(request, { redirect: "manual" });
}
