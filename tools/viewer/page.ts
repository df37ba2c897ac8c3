/** The scripts of the viewer's page. */

const PAGE = new URL("../../lib/server/viewer/page/", import.meta.url);

/** The content of `page.json`: each script by its name, as a JSON module that the server can import as text. */
export function packPage(): string {
  const names = Array.from(Deno.readDirSync(PAGE), ({ name }) => name).sort();
  const scripts = Object.fromEntries(names.map((name) => [name, Deno.readTextFileSync(new URL(name, PAGE))]));
  return JSON.stringify(scripts, null, 2) + "\n";
}
