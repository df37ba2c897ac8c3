/** Defects to be found: what stands before a petstore and changes what it is asked. */

type Handle = (request: Request) => Promise<Response>;

/** Changes the URL of what is read. */
export function withOtherUrl(change: (url: string) => string): (handle: Handle) => Handle {
  return (handle) => (request) => {
    const url = change(request.url);
    if (url === request.url || request.method !== "GET") return handle(request);
    return handle(new Request(url, { headers: copy(request.headers) }));
  };
}

/** Changes the bytes of what is created, but not their number. */
export function withOtherBytes(change: (byte: number) => number): (handle: Handle) => Handle {
  return (handle) => async (request) => {
    if (request.method !== "POST") return await handle(request);
    const { url, method } = request;
    const body = new Uint8Array(await request.arrayBuffer()).map(change);
    return await handle(new Request(url, { method, headers: copy(request.headers), body }));
  };
}

/** Asks for each by its name: what Deno iterates over lacks the first of two headers of one name if it is empty. */
function copy(headers: Headers): [string, string][] {
  return [...headers.keys()].map((name) => [name, headers.get(name) ?? ""]);
}
