/** The package that the viewer comes from, and where its files are to be. */

import manifest from "swagger-ui-dist/package.json" with { type: "json" };

/** The installed version, which deno.json pins. */
export const VERSION: string = manifest.version;

/** What the page loads, and the notices that the script refers to. */
export const FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"] as const;

/** What has to be with them where they are handed on. */
export const LICENCES = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/** Where the server has them. */
export const FOLDER = new URL("../../lib/server/viewer/", import.meta.url);

/** A file as it is in the package. */
export function readPackaged(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`node_modules/swagger-ui-dist/${name}`, import.meta.url));
}
