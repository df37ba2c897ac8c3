/** The documents of the package. They link to files of the repository, which the package does not contain. */

import { readFileSync } from "node:fs";
import type { Project } from "./project.ts";

/** The package's name for a document, and its path in the repository. */
const DOCUMENTS = [
  ["README.md", "tools/package/README.md"],
  ["CHANGELOG.md", "CHANGELOG.md"],
  ["SECURITY.md", "SECURITY.md"],
  ["LICENSE", "LICENSE"],
  // Of Swagger UI, which the page at /docs is made of.
  ["lib/server/viewer/LICENSE", "lib/server/viewer/LICENSE"],
  ["lib/server/viewer/NOTICE", "lib/server/viewer/NOTICE"],
] as const;

/** The texts of the documents by their names in the package. */
export function readDocuments(root: URL, project: Project, version: string): Map<string, string> {
  const address = project.documents.replace("{version}", version);
  return new Map(DOCUMENTS.map(([name, path]) => [name, linkTo(address, readFileSync(new URL(path, root), "utf8"))]));
}

/** Makes relative links absolute. While the address is unknown, it keeps their words and drops the list of documents. */
function linkTo(address: string, text: string): string {
  const kept = address === "" ? text.replace(/^## Documentation\n[^]*?(?=^## )/m, "") : text;
  return kept.replaceAll(/\[([^\]]*)\]\((?!https?:|#)([^)]*)\)/g, (_, words, path) => {
    return address === "" ? words : `[${words}](${address.replace("{path}", path)})`;
  });
}
