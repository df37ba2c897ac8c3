/** The files of Swagger UI, compressed in a JSON module, which every runtime loads alike, from a file or from the web. */

import { Buffer } from "node:buffer";
import { conditionalReply } from "../../http/conditional.ts";
import type { RequestContext } from "../../http/context.ts";
import type { Handler, Operation } from "../../http/operation.ts";
import type { HeaderFields, Reply } from "../../http/reply.ts";

/** The version of Swagger UI. It is part of the paths, so that browsers can cache the files without revalidation. */
export const VIEWER_VERSION = "5.35.0";

export const JAVASCRIPT = "text/javascript; charset=utf-8";
export const CSS = "text/css; charset=utf-8";

const TYPES = {
  "swagger-ui-bundle.js": JAVASCRIPT,
  "swagger-ui-bundle.js.LICENSE.txt": "text/plain; charset=utf-8",
  "swagger-ui.css": CSS,
};

/** The bytes of a file that a client has not read yet are copied in pieces of this size. */
const PIECE = 16_384;

/** @param path The common prefix of the routes. */
export function createFileOperations(path: string): Operation[] {
  return Object.entries(TYPES).map(([name, type]) => ({
    method: "GET",
    path: `${path}/${VIEWER_VERSION}/${name}`,
    access: "public",
    effect: "reads",
    handler: createFileHandler(type, name as keyof typeof TYPES),
  }));
}

/** Serves a file, compressed if the client accepts that. */
function createFileHandler(type: string, name: keyof typeof TYPES): Handler {
  // Loaded at the first request: a server whose page is never opened saves 4 MB.
  let compressed: Promise<Uint8Array<ArrayBuffer>> | undefined;
  let plain: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const fields = {
    "content-type": type,
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
    "vary": "Accept-Encoding",
  };
  // Each representation needs its own tag (RFC 9110 §8.8.3.3).
  const represent = (context: RequestContext, body: Uint8Array<ArrayBuffer>, etag: string, more: HeaderFields) => {
    const reply: Reply = { status: 200, headers: { ...fields, etag, ...more }, body, etag };
    // Only a body that is sent needs a stream.
    const isSent = context.method === "GET" && conditionalReply(reply, context) === reply;
    return isSent
      ? { ...reply, headers: { ...reply.headers, "content-length": String(body.length) }, body: streamOf(body) }
      : reply;
  };

  return async ({ context }) => {
    compressed ??= load(name);
    if (acceptsGzip(context.header("accept-encoding"))) {
      return represent(context, await compressed, `"${VIEWER_VERSION}-gzip"`, { "content-encoding": "gzip" });
    }
    // Cached, so that clients without a key cannot make the server decompress it repeatedly.
    plain ??= compressed.then(decompress);
    return represent(context, await plain, `"${VIEWER_VERSION}"`, {});
  };
}

async function load(name: keyof typeof TYPES): Promise<Uint8Array<ArrayBuffer>> {
  const { default: packed } = await import("./swagger_ui.json", { with: { type: "json" } });
  return new Uint8Array(Buffer.from(packed.files[name], "base64"));
}

async function decompress(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** Whether `Accept-Encoding` names gzip with a weight above 0 (RFC 9110 §12.5.3). */
function acceptsGzip(header: string | null): boolean {
  const offered = (header ?? "").toLowerCase().split(",").map((item) => item.split(";").map((part) => part.trim()));
  const [, weight = "q=1"] = offered.find(([coding]) => coding === "gzip") ?? ["", "q=0"];
  return Number(weight.slice("q=".length)) > 0;
}

/** Sends a body as fast as the client reads. The host copies a whole one for each client, also for those that do not read. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(offset, offset += PIECE));
      if (offset >= bytes.length) controller.close();
    },
    // Produces no piece before it is read.
  }, { highWaterMark: 0 });
}
