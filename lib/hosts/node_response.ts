/** From the Fetch standard's response to Node's. */

import type { NodeResponse } from "./node_types.ts";

/** Sends a response. Rejects if its body fails, or the client is gone before it is sent. */
export async function sendResponse(response: Response, outgoing: NodeResponse): Promise<void> {
  outgoing.statusCode = response.status;
  if (response.statusText !== "") outgoing.statusMessage = response.statusText;
  for (const [name, value] of response.headers) {
    // The one field whose values cannot be joined by commas, and which is therefore listed once for each.
    if (name !== "set-cookie") outgoing.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  const body = response.body?.getReader();
  if (!body || outgoing.req.method === "HEAD") {
    body?.cancel().catch(() => {});
    outgoing.end();
    return;
  }
  try {
    await sendBody(body, outgoing, response.headers.get("content-length"));
  } catch (error) {
    // Where it comes from must know that nobody reads it any more.
    body.cancel(error).catch(() => {});
    throw error;
  }
}

async function sendBody(
  body: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: NodeResponse,
  length: string | null,
): Promise<void> {
  const first = await body.read();
  if (first.done) return void outgoing.end();
  let next = body.read();
  // A body that is whole already is sent at once, and with its length; one that is still being made is not held back.
  if (await endsSoon(next)) return void outgoing.end(first.value);
  await write(outgoing, first.value);
  let sent = first.value.byteLength;
  for (let piece = await next; !piece.done; piece = await next) {
    sent += piece.value.byteLength;
    next = write(outgoing, piece.value).then(() => body.read());
  }
  // To end it would be to let the next answer on this connection pass for the rest of this one.
  if (length !== null && sent !== Number(length)) {
    throw new Error("The body is shorter or longer than its Content-Length");
  }
  outgoing.end();
}

/** Microtasks in which the stream of a body that is whole comes to its end; each runtime takes some. */
const SOON = 20;

/** Whether this reading ends the body, and does so within this turn of the event loop. A timer would cost far more. */
async function endsSoon(reading: Promise<{ done: boolean }>): Promise<boolean> {
  let isDone: boolean | undefined;
  // A failure is met by whoever reads on.
  reading.then(({ done }) => isDone = done, () => isDone = false);
  for (let i = 0; i < SOON && isDone === undefined; i++) await undefined;
  return isDone === true;
}

/** Writes a piece and waits until there is room for more. Rejects when the client is gone. */
function write(outgoing: NodeResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (outgoing.destroyed) return reject(new Error("The client went away"));
    if (outgoing.write(piece)) return resolve();
    const settle = () => {
      outgoing.off("drain", settle);
      outgoing.off("close", settle);
      if (outgoing.destroyed) reject(new Error("The client went away"));
      else resolve();
    };
    outgoing.on("drain", settle);
    outgoing.on("close", settle);
  });
}
