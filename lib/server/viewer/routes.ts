/** `/docs`: the description as a page in which the service can be tried out. `/` leads there. */

import type { Answer } from "../../http/answer.ts";
import { representation } from "../../http/conditional.ts";
import type { OperationRoute } from "../../http/dispatch.ts";
import { createFileRoutes, VIEWER_VERSION } from "./files.ts";
import { VIEWER_SCRIPT } from "./script.ts";

// Every address is relative: a proxy may have put all of it below a path.
const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Petstore</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${VIEWER_VERSION}/swagger-ui.css">
<script src="docs/${VIEWER_VERSION}/swagger-ui-bundle.js" defer></script>
<script src="docs/viewer.js" defer></script>
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

/** Only what the server itself has; the pictures in the style sheet are "data:". Whoever pastes a key relies on it. */
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

/** Makes the routes of the page and of what it loads. */
export function createDocsRoutes(): OperationRoute[] {
  const page = document("text/html; charset=utf-8", PAGE);
  const script = document("text/javascript; charset=utf-8", VIEWER_SCRIPT);
  return [
    { path: "/", methods: { GET: () => redirect("docs") } },
    { path: "/docs", methods: { GET: () => page } },
    { path: "/docs/", methods: { GET: () => redirect("../docs") } },
    { path: "/docs/viewer.js", methods: { GET: () => script } },
    ...createFileRoutes("/docs"),
  ];
}

/** A text under a name that stays, so that browsers have to ask whether theirs is still the one. */
function document(type: string, text: string): Answer {
  return representation(text, "always", {
    "content-type": type,
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
  });
}

/** Not for good: the page can be switched off, and another service may have the address tomorrow. */
function redirect(location: string): Answer {
  return { status: 302, headers: { location, "cache-control": "no-cache" }, body: null };
}
