/**
 * Serves the files of Swagger UI. They are in a JSON module, compressed: every runtime loads such a module alike, from a file or from the
 * web.
 */

import { Buffer } from "node:buffer";
import { type Handler, type Operation, PUBLIC_GET } from "../../http/operation.ts";

/** The version of Swagger UI. It is part of the paths, so that browsers can cache the files without revalidation. */
export const VIEWER_VERSION = "5.35.0";

export const JAVASCRIPT = "text/javascript; charset=utf-8";
export const CSS = "text/css; charset=utf-8";

/** The media types of the files by their names. */
const TYPES = {
  "swagger-ui-bundle.js": JAVASCRIPT,
  "swagger-ui-bundle.js.LICENSE.txt": "text/plain; charset=utf-8",
  "swagger-ui.css": CSS,
};

export function createSwaggerUiOperations(): Operation[] {
  return Object.entries(TYPES).map(([name, type]) => ({
    ...PUBLIC_GET,
    path: `/docs/${VIEWER_VERSION}/${name}`,
    handler: createFileHandler(type, name as keyof typeof TYPES),
  }));
}

/** Serves a file in gzip, which every browser accepts. */
function createFileHandler(type: string, name: keyof typeof TYPES): Handler {
  /** The file, which is loaded at the first request: a server whose page is never opened saves 4 MB. */
  let loading: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const etag = `"${VIEWER_VERSION}-gzip"`;
  const headers = {
    "content-type": type,
    "content-encoding": "gzip",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
    etag,
  };
  return async () => ({ status: 200, headers, body: await (loading ??= load(name)), etag });
}

async function load(name: keyof typeof TYPES): Promise<Uint8Array<ArrayBuffer>> {
  const { default: packed } = await import("./swagger_ui.json", { with: { type: "json" } });
  return new Uint8Array(Buffer.from(packed.files[name], "base64"));
}
