/**
 * `deno task viewer`: packs the viewer's files into JSON modules, which every runtime loads alike,
 * from a file or from the web.
 */

import { gzipSync } from "node:zlib";
import { FILES, LICENCES, packagedVersion, packPage, readPackaged, VIEWER } from "./package.ts";

const files = FILES.map((name) => [name, gzipSync(readPackaged(name), { level: 9 }).toString("base64")]);
const swaggerUi = { version: packagedVersion(), files: Object.fromEntries(files) };
// Indented as `deno fmt` does it.
Deno.writeTextFileSync(new URL("swagger_ui.json", VIEWER), JSON.stringify(swaggerUi, null, 2) + "\n");
Deno.writeTextFileSync(new URL("page.json", VIEWER), packPage());
for (const name of LICENCES) Deno.writeFileSync(new URL(name, VIEWER), readPackaged(name));
