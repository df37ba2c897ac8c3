/** The documents of the packages. They link to files of the repository, which a package does not contain. */

import { readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Project } from "./project.ts";

/** npm's name for a document, and its path in the repository. */
const DOCUMENTS = [
  ["README.md", "tools/package/README.md"],
  ["CHANGELOG.md", "CHANGELOG.md"],
  ["SECURITY.md", "SECURITY.md"],
  ["LICENSE", "LICENSE"],
  // Of Swagger UI, which the page at /docs is made of.
  ["lib/server/viewer/LICENSE", "lib/server/viewer/LICENSE"],
  ["lib/server/viewer/NOTICE", "lib/server/viewer/NOTICE"],
] as const;

/** The texts of npm's documents by their names in the package. npm's page shows the README alone: it gets no relative link. */
export function readDocuments(root: URL, project: Project, version: string): Map<string, string> {
  const address = addressOf(project, version);
  return new Map(DOCUMENTS.map(([name, path]) => {
    const text = readFileSync(new URL(path, root), "utf8");
    const kept = address === "" ? text.replace(/^## Documentation\n[^]*?(?=^## )/m, "") : text;
    return [name, linkFrom(name, kept, address, () => false)];
  }));
}

/** Where a file of the repository is shown, with `{path}` in its place, or nothing. */
export function addressOf(project: Project, version: string): string {
  return project.documents.replace("{version}", version);
}

/** An inline link or an image, but to the web or to a heading of its own page. */
const RELATIVE_LINK = /!?\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)/g;

/** Makes links of a page to files that the package lacks absolute. While the address is unknown, it keeps their words alone. */
export function linkFrom(page: string, text: string, address: string, has: (path: string) => boolean): string {
  return text.replaceAll(RELATIVE_LINK, (link, words: string, target: string, heading = "") => {
    const path = posix.join(posix.dirname(page), target);
    if (has(decodeURIComponent(path))) return link;
    return address === "" ? words : `[${words}](${address.replace("{path}", path)}${heading})`;
  });
}
