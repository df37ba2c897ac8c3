/**
 * The operations of the viewer: a web page at `/docs` that shows the description and can send
 * requests, and its files. `/` redirects to it. The files are in JSON modules: every runtime loads
 * such a module alike, from a file or from the web.
 */

import { Buffer } from "node:buffer";
import { taggedReply } from "../../http/conditional.ts";
import { type Handler, type Operation, PUBLIC_GET } from "../../http/operation.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import { VERSION } from "../process/version.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import pageFiles from "./page.json" with { type: "json" };

/** The version of Swagger UI. It is part of the paths, so that browsers can cache the files without revalidation. */
export const VIEWER_VERSION = "5.35.0";

const SWAGGER_UI_FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"] as const;

/** @param servers The servers of the description. */
export function createDocsOperations(servers: readonly OpenApiServer[]): Operation[] {
  const policy = policyFor(servers);
  return [
    operationAt("/", redirectTo("docs")),
    operationAt("/docs", serveText("page.html", HTML, policy)),
    operationAt("/docs/", redirectTo("../docs")),
    ...Object.entries(pageFiles).map(([name, text]) => operationAt(`/docs/${name}`, serveText(name, text, policy))),
    ...SWAGGER_UI_FILES.map((name) => operationAt(`/docs/${VIEWER_VERSION}/${name}`, serveSwaggerUi(name))),
  ];
}

/**
 * The policy of the page (Content-Security-Policy). The page loads only from this server, because
 * users paste their keys into it, but sends requests to the servers of the description too. Images
 * may be data: URLs, because the style sheet has some.
 */
function policyFor(servers: readonly OpenApiServer[]): string {
  // A server whose address has no origin is at the origin of the page.
  const origins = new Set(servers.flatMap(({ url }) => URL.parse(url)?.origin ?? []));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    ["connect-src 'self'", ...origins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function operationAt(path: string, handler: Handler): Operation {
  return { ...PUBLIC_GET, path, handler };
}

/**
 * Serves a text, which never changes. Browsers must revalidate it, because its address is the same
 * in every version.
 */
function serveText(name: string, text: string, policy: string): Handler {
  const reply = taggedReply(text, "alteration", {
    "content-type": mediaTypeOf(name),
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  });
  return () => reply;
}

/** The redirect is temporary, because the page can be switched off, and another service may get the address later. */
function redirectTo(location: string): Handler {
  return () => ({ status: 302, headers: { location, "cache-control": "no-cache" }, body: null });
}

/** Serves a file of Swagger UI in gzip, which every browser accepts. */
function serveSwaggerUi(name: typeof SWAGGER_UI_FILES[number]): Handler {
  /** The file, which is loaded at the first request: a server whose page is never opened saves 4 MB. */
  let loading: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const etag = `"${VIEWER_VERSION}-gzip"`;
  const headers = {
    "content-type": mediaTypeOf(name),
    "content-encoding": "gzip",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
    etag,
  };
  async function load(): Promise<Uint8Array<ArrayBuffer>> {
    const { default: packed } = await import("./swagger_ui.json", { with: { type: "json" } });
    return new Uint8Array(Buffer.from(packed.files[name], "base64"));
  }
  return async () => ({ status: 200, headers, body: await (loading ??= load()), etag });
}

/** The subtypes of text by the ends of file names. */
const SUBTYPES: Readonly<Record<string, string>> = { html: "html", css: "css", js: "javascript", txt: "plain" };

function mediaTypeOf(file: string): string {
  return `text/${SUBTYPES[file.split(".").at(-1)!]}; charset=utf-8`;
}

/** The page. All its addresses are relative, because a proxy may add a path prefix. */
const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${VIEWER_VERSION}/swagger-ui.css">
<link rel="stylesheet" href="docs/viewer.css">
<script src="docs/${VIEWER_VERSION}/swagger-ui-bundle.js" defer></script>
<script src="docs/viewer.js" type="module"></script>
</head>
<body>
<header>
<h1>Petstore <small>release ${VERSION}</small></h1>
<p>Open an operation and press Execute to send a request.</p>
<p>Press Authorize and paste an API key. The operator has it: in <code>${KEY_FILE}</code>, in <code>PETSTORE_KEYS</code>, or from <code>petstore keys add</code>.</p>
</header>
<noscript>
<p>The rest of this page needs JavaScript. The description that it shows is at <a href="openapi.json">/openapi.json</a>.</p>
</noscript>
<div id="viewer"></div>
</body>
</html>
`;
