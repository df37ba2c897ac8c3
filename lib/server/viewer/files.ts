/** The files of Swagger UI, compressed in a JSON module, which every runtime loads alike, from a file or from the web. */

import { Buffer } from "node:buffer";
import { conditionalReply } from "../../http/conditional.ts";
import type { Handler, Operation } from "../../http/operation.ts";
import type { Reply } from "../../http/reply.ts";

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

export const PUBLIC_GET = { method: "GET", access: "public", effect: "reads" } as const;

export function createFileOperations(): Operation[] {
  return Object.entries(TYPES).map(([name, type]) => ({
    ...PUBLIC_GET,
    path: `/docs/${VIEWER_VERSION}/${name}`,
    handler: createFileHandler(type, name as keyof typeof TYPES),
  }));
}

/** Serves a file in gzip, which every browser accepts. */
function createFileHandler(type: string, name: keyof typeof TYPES): Handler {
  // Loaded at the first request: a server whose page is never opened saves 4 MB.
  let loaded: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const etag = `"${VIEWER_VERSION}-gzip"`;
  const fields = {
    "content-type": type,
    "content-encoding": "gzip",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
    etag,
  };
  return async ({ context }) => {
    const body = await (loaded ??= load(name));
    const reply: Reply = { status: 200, headers: fields, body, etag };
    // Only a body that is sent needs a stream.
    const isSent = context.method === "GET" && conditionalReply(reply, context) === reply;
    return isSent
      ? { ...reply, headers: { ...fields, "content-length": String(body.length) }, body: streamOf(body) }
      : reply;
  };
}

async function load(name: keyof typeof TYPES): Promise<Uint8Array<ArrayBuffer>> {
  const { default: packed } = await import("./swagger_ui.json", { with: { type: "json" } });
  return new Uint8Array(Buffer.from(packed.files[name], "base64"));
}

/** Sends a body as fast as the client reads. The host copies a whole one for each client, also for those that do not read. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(offset, offset += PIECE));
      if (offset >= bytes.length) controller.close();
    },
    // The stream produces no piece before it is read.
  }, { highWaterMark: 0 });
}
