/** Where the project is on the web: project.json, which is filled in before the first release. */

import addresses from "./project.json" with { type: "json" };

/** Addresses, each empty until it is known. */
export interface Project {
  /** For git, such as `git+https://code.example/petstore.git`. */
  repository: string;
  homepage: string;
  /** Where defects are reported. */
  bugs: string;
  /** Where a file of the repository is shown: `https://code.example/petstore/blob/v{version}/{path}`. */
  documents: string;
}

export const PROJECT: Project = addresses;

/** The names of the addresses that are not filled in yet. */
export function missingFrom(project: Project): string[] {
  return Object.entries(project).filter(([, address]) => address === "").map(([name]) => name);
}
