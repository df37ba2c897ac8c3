/** Defects to find: wrappers of a petstore that change its requests. */

type Handle = (request: Request) => Promise<Response>;

export function withOtherUrl(change: (url: string) => string): (handle: Handle) => Handle {
  return (handle) => (request) => {
    const url = change(request.url);
    if (url === request.url || request.method !== "GET") return handle(request);
    return handle(new Request(url, { headers: copy(request.headers) }));
  };
}

/** Changes the bytes of a create, but not their number. */
export function withOtherBytes(change: (byte: number) => number): (handle: Handle) => Handle {
  return (handle) => async (request) => {
    if (request.method !== "POST") return await handle(request);
    const { url, method } = request;
    const body = new Uint8Array(await request.arrayBuffer()).map(change);
    return await handle(new Request(url, { method, headers: copy(request.headers), body }));
  };
}

/** Reads each by name: Deno's iterator drops the first of two headers if it is empty. */
function copy(headers: Headers): [string, string][] {
  return [...headers.keys()].map((name) => [name, headers.get(name) ?? ""]);
}
