/** The npm package that has the viewer, Swagger UI, as installed in this folder. */

/** The files that the page loads, with the notices that the script refers to. */
export const FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"] as const;

/** The licences and notices that must accompany the files. */
export const LICENCES = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/** Where the server has the viewer. */
export const VIEWER = new URL("../../lib/server/viewer/", import.meta.url);

/** Reads a file of the package. */
export function readPackaged(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`node_modules/swagger-ui-dist/${name}`, import.meta.url));
}

/** The version of the package. */
export function packagedVersion(): string {
  return JSON.parse(new TextDecoder().decode(readPackaged("package.json"))).version;
}
