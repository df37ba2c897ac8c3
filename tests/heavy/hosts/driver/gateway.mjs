/** In place of the gateway of a cloud: calls a function for each request, when its body is complete. */

import { createServer } from "node:http";
import { resolve } from "node:path";
import process from "node:process";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** The program under test. */
export function loadProgram() {
  return import(pathToFileURL(resolve(process.argv[2])).href);
}

/** @param invoke Gets method, url, headers, body and the client's address; resolves to status, headers and body. */
export function serveFunction(invoke) {
  const server = createServer(async (request, response) => {
    // A gateway refuses it, and its function would fail to make a URL.
    if (!URL.canParse(`http://${request.headers.host}`)) return response.writeHead(400).end();
    // A body that stalls must not keep the tests waiting.
    request.setTimeout(1000, () => request.destroy());
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    // It would also limit the time until the response.
    request.setTimeout(0);
    const { method, url, headersDistinct, socket } = request;
    const { "transfer-encoding": _, ...fields } = headersDistinct;
    const headers = Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values.join(", ")]));
    const result = await invoke({ method, url, headers, body, address: socket.remoteAddress }).catch((error) => {
      console.error(error);
      return { status: 500, headers: {}, body: "" };
    });
    response.statusCode = result.status;
    response.setHeaders(new Map(Object.entries(result.headers))).end(result.body);
  });
  server.listen(Number(process.env.PORT), () => console.log(`Listening on http://127.0.0.1:${server.address().port}/`));
}
