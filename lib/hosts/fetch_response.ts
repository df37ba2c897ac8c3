import { ON_BUN, ON_DENO } from "../http/platform.ts";
import { type Body, BROKEN_OFF, type HeaderFields, KeptReply, type Reply } from "../http/reply.ts";

/**
 * Whether a clone of a `Response` with a text is cheaper than a new one. On Node, a clone splits
 * its body in two streams.
 */
const CLONES_TEXT = ON_BUN || ON_DENO;

/** The size, in bytes, of the pieces in which Deno sends a large body. */
const PIECE_BYTES = 16_384;

/** Makes the `Response` of a reply. That of a kept reply is made once, and each request gets a clone of it. */
export function toResponse(reply: Reply): Response {
  if (!CLONES_TEXT || !(reply instanceof KeptReply)) return createResponse(reply);
  // What is kept is a clone too, for the memory: on Deno, a new `Response` holds its bytes twice,
  // and a clone of it once.
  reply.template ??= createResponse(reply).clone();
  return reply.template.clone();
}

function createResponse({ status, headers, cookies = [], body }: Reply): Response {
  // A stream has no length of its own.
  const fields = body instanceof Uint8Array ? { ...headers, "content-length": String(body.byteLength) } : headers;
  return new Response(toBodyInit(body), {
    status,
    headers: cookies.length > 0 ? withCookies(fields, cookies) : fields,
  });
}

/**
 * The cookies are given to the constructor of a `Response`, because that of Hono on Node may forget
 * a field that is added later.
 */
function withCookies(fields: HeaderFields, cookies: readonly string[]): [name: string, value: string][] {
  return [...Object.entries(fields), ...cookies.map((cookie): [string, string] => ["set-cookie", cookie])];
}

function toBodyInit(body: Body): Exclude<Body, typeof BROKEN_OFF> | ReadableStream<Uint8Array<ArrayBuffer>> {
  if (body === BROKEN_OFF) return failingBody();
  const isLarge = ON_DENO && body instanceof Uint8Array && body.byteLength > PIECE_BYTES;
  return isLarge ? inPieces(body) : body;
}

/**
 * Gives out a body in pieces, each when the client has taken the one before. Deno would copy the
 * whole body for each client, even for one that does not read.
 */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES));
      sent += PIECE_BYTES;
      if (sent >= bytes.byteLength) controller.close();
    },
  }, { highWaterMark: 0 });
}

function failingBody(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: (controller) => controller.error(new TypeError("The connection was cut, which is a fault on purpose")),
  });
}
