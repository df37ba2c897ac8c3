/** The routes of the viewer: a web page at `/docs` that shows the description and can send requests. `/` redirects to it. */

import type { Answer } from "../../http/answer.ts";
import { representation } from "../../http/conditional.ts";
import type { OperationRoute } from "../../http/dispatch.ts";
import { createFileRoutes, JAVASCRIPT, VIEWER_VERSION } from "./files.ts";
import page from "./page.json" with { type: "json" };

// All addresses are relative, because a proxy may add a path prefix.
const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${VIEWER_VERSION}/swagger-ui.css">
<script src="docs/${VIEWER_VERSION}/swagger-ui-bundle.js" defer></script>
<script src="docs/viewer.js" type="module"></script>
</head>
<body>
<noscript>
<h1>Petstore</h1>
<p>This page needs JavaScript. The description that it shows is at <a href="openapi.json">/openapi.json</a>.</p>
</noscript>
<div id="viewer"></div>
</body>
</html>
`;

/** The page loads only from this server, because users paste their keys into it. The style sheet has images in data: URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function createDocsRoutes(): OperationRoute[] {
  const html = document("text/html; charset=utf-8", HTML);
  const scripts = Object.entries(page).map(([name, text]): OperationRoute => {
    const script = document(JAVASCRIPT, text);
    return { path: `/docs/${name}`, methods: { GET: () => script } };
  });
  return [
    { path: "/", methods: { GET: () => redirect("docs") } },
    { path: "/docs", methods: { GET: () => html } },
    { path: "/docs/", methods: { GET: () => redirect("../docs") } },
    ...scripts,
    ...createFileRoutes("/docs"),
  ];
}

/** A text whose address is the same in every version, so browsers must revalidate it. */
function document(type: string, text: string): Answer {
  return representation(text, "always", {
    "content-type": type,
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
  });
}

/** Temporary, because the page can be switched off, and another service may later get the address. */
function redirect(location: string): Answer {
  return { status: 302, headers: { location, "cache-control": "no-cache" }, body: null };
}
