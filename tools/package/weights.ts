/** The size of each part of the package. */

import { createTarball } from "./tarball.ts";

/** The first match counts. */
const PARTS: readonly [part: string, paths: RegExp][] = [
  ["Swagger UI", /^lib\/server\/viewer\/(swagger_ui|LICENSE|NOTICE)/],
  ["server", /^lib\/server\//],
  ["stores", /^lib\/stores\//],
  ["testing", /^lib\/testing\//],
  ["client", /^lib\/client\//],
  ["library", /^(mod\.|lib\/)/],
  ["documents", /./],
];

/** A line for each part: its bytes in the package, and in a tarball of its own. */
export function formatWeights(files: ReadonlyMap<string, string>): string {
  const parts = new Map(PARTS.map(([part]) => [part, new Map<string, string>()]));
  for (const [path, text] of files) parts.get(PARTS.find(([, paths]) => paths.test(path))![0])!.set(path, text);
  const lines = Array.from(parts).reverse().map(([part, own]) => {
    const unpacked = Array.from(own.values(), (text) => new TextEncoder().encode(text).length);
    const bytes = [unpacked.reduce((sum, size) => sum + size, 0), createTarball(own).length];
    return `  ${part.padEnd(12)} ${bytes.map((size) => `${Math.round(size / 1000)} kB`.padStart(8)).join("")}\n`;
  });
  return `  ${"".padEnd(12)} unpacked  packed\n${lines.join("")}`;
}
