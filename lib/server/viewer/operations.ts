/** The operations of the viewer: a web page at `/docs` that shows the description and can send requests. `/` redirects to it. */

import type { Reply } from "../../http/reply.ts";
import { taggedReply } from "../../http/conditional.ts";
import { type Operation, PUBLIC_GET } from "../../http/operation.ts";
import type { OpenApiServer } from "../../openapi/describe.ts";
import { VERSION } from "../process/version.ts";
import { createSwaggerUiOperations, CSS, JAVASCRIPT, VIEWER_VERSION } from "./files.ts";
import { KEY_FILE } from "../first_key/key_file.ts";
import pageFiles from "./page.json" with { type: "json" };

/** @param servers The servers of the description. */
export function createDocsOperations(servers: readonly OpenApiServer[] = []): Operation[] {
  const policy = policyFor(servers);
  return [
    operationAt("/", redirect("docs")),
    operationAt("/docs", textReply("text/html; charset=utf-8", HTML, policy)),
    operationAt("/docs/", redirect("../docs")),
    ...Object.entries(pageFiles).map(([name, text]) =>
      operationAt(`/docs/${name}`, textReply(name.endsWith(".css") ? CSS : JAVASCRIPT, text, policy))
    ),
    ...createSwaggerUiOperations(),
  ];
}

/**
 * The policy of the page (Content-Security-Policy). The page loads only from this server, because users paste their keys into it, but sends
 * requests to the servers of the description too. Images may be data: URLs, because the style sheet has some.
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

function operationAt(path: string, reply: Reply): Operation {
  return { ...PUBLIC_GET, path, handler: () => reply };
}

/** The reply with a text, which never changes. Browsers must revalidate it, because its address is the same in every version. */
function textReply(type: string, text: string, policy: string): Reply {
  return taggedReply(text, "alteration", {
    "content-type": type,
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
  });
}

/** A redirect. It is temporary, because the page can be switched off, and another service may get the address later. */
function redirect(location: string): Reply {
  return { status: 302, headers: { location, "cache-control": "no-cache" }, body: null };
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
