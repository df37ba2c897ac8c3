/** The npm package that has the viewer, Swagger UI, as `deno task install` brings it. */

/** The files that the page loads, with the notices that the script refers to. */
export const FILES = ["swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "swagger-ui.css"] as const;

/** The licences and notices that must accompany the files. */
export const LICENCES = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"] as const;

/** Where the server has the viewer. */
export const VIEWER = new URL("../../lib/server/viewer/", import.meta.url);

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
