/** Reads a tarball by the format's description, independently of the code that writes it. */

import { gunzipSync } from "node:zlib";

export interface Entry {
  path: string;
  mode: number;
  size: number;
  text: string;
}

export function readTarball(bytes: Uint8Array): Entry[] {
  const archive = gunzipSync(bytes);
  const entries: Entry[] = [];
  for (let at = 0; archive[at] !== 0;) {
    const field = (offset: number, length: number) =>
      archive.toString("utf8", at + offset, at + offset + length).split("\0")[0]!.trim();
    const size = parseInt(field(124, 12), 8);
    const start = at + 512;
    const text = archive.toString("utf8", start, start + size);
    entries.push({ path: field(0, 100), mode: parseInt(field(100, 8), 8), size, text });
    at = start + Math.ceil(size / 512) * 512;
  }
  return entries;
}
