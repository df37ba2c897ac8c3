/** Makes a .tgz whose bytes depend only on its files, not on a clock, an owner or a folder's order. */

import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

const BLOCK = 512;

/** npm's date for every file. Unlike 1970, every archive format can express it. */
const MODIFIED = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** @param files Texts by their paths in the package, in their order. */
export function createTarball(files: ReadonlyMap<string, string>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [path, text] of files) {
    const content = new TextEncoder().encode(text);
    parts.push(header(`package/${path}`, content.length), content, new Uint8Array(-content.length & (BLOCK - 1)));
  }
  // Two empty blocks end the archive.
  parts.push(new Uint8Array(2 * BLOCK));
  return gzipSync(Buffer.concat(parts), { level: 9 });
}

/** The header of a regular file (ustar, POSIX.1-1988). */
function header(path: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const write = (text: string, offset: number, length: number) => {
    const bytes = encoder.encode(text);
    if (bytes.length > length) throw new Error(`${text} is too long for a tar header`);
    block.set(bytes, offset);
  };
  const octal = (value: number, length: number) => value.toString(8).padStart(length, "0");
  write(path, 0, 100);
  write(octal(0o644, 7), 100, 8);
  write(octal(0, 7), 108, 8);
  write(octal(0, 7), 116, 8);
  write(octal(size, 11), 124, 12);
  write(octal(MODIFIED, 11), 136, 12);
  // For the checksum, its own field counts as spaces.
  write(" ".repeat(8), 148, 8);
  write("0", 156, 1);
  write("ustar\0" + "00", 257, 8);
  write(octal(block.reduce((sum, byte) => sum + byte), 6) + "\0 ", 148, 8);
  return block;
}
