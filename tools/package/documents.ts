/** The documents of the package. They are written for the repository, and a package has less beside them. */

import { readFileSync } from "node:fs";

const DOCUMENTS = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"];

/** Their texts by their names. */
export function readDocuments(root: URL): Map<string, string> {
  return new Map(DOCUMENTS.map((name) => [name, withoutDeadLinks(readFileSync(new URL(name, root), "utf8"))]));
}

/** A picture of the repository is left out, and a link to one of its files becomes the name of the file. */
function withoutDeadLinks(text: string): string {
  return text
    .replaceAll(/^!\[[^\]]*\]\(docs\/[^)]*\)\n\n/gm, "")
    .replaceAll(/\[([^\]]*)\]\((docs\/[^)]*)\)/g, (_, words, path) => {
      return words === path ? `\`${path}\` of the repository` : `${words} (\`${path}\` of the repository)`;
    });
}
