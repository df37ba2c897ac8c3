/**
 * `deno task viewer`: packs the viewer's files into JSON modules, which every runtime loads alike,
 * from a file or from the web. The viewer is Swagger UI, from the npm package that `deno task install`
 * brings. Tests compare the packed files with it.
 */

import { gzipSync } from "node:zlib";

/** The files that the page loads, with the notices that the script refers to. */
export const FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"] as const;

/** The licences and notices that must accompany the files. */
export const LICENCES = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/** Where the server has the viewer. */
export const VIEWER: URL = new URL("../../lib/server/viewer/", import.meta.url);

export function readPackaged(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`../../node_modules/swagger-ui-dist/${name}`, import.meta.url));
}

export function packagedVersion(): string {
  return JSON.parse(new TextDecoder().decode(readPackaged("package.json"))).version;
}

/**
 * The content of `page.json`: each script of the page by its name, as a JSON module that the server
 * can import as text.
 */
export function packPage(): string {
  const page = new URL("page/", VIEWER);
  const names = Array.from(Deno.readDirSync(page), ({ name }) => name).sort();
  const scripts = Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(new URL(name, page))]));
  return JSON.stringify(scripts, null, 2) + "\n";
}

if (import.meta.main) {
  const files = FILES.map((name) => [name, gzipSync(readPackaged(name), { level: 9 }).toString("base64")]);
  const swaggerUi = { version: packagedVersion(), files: Object.fromEntries(files) };
  // Indented as `deno fmt` does it.
  Deno.writeTextFileSync(new URL("swagger_ui.json", VIEWER), JSON.stringify(swaggerUi, null, 2) + "\n");
  Deno.writeTextFileSync(new URL("page.json", VIEWER), packPage());
  for (const name of LICENCES) Deno.writeFileSync(new URL(name, VIEWER), readPackaged(name));
}
