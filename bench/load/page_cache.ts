/** Takes files out of the page cache, as after a start of the machine. This needs no rights, and leaves the files of others alone. */

import { basename, dirname, join } from "node:path";

const DONT_NEED = 4;

/** Every file that a path has below it, also by links to packages, whose dependencies lie beside them. */
export function filesBelow(path: string, seen = new Set<string>()): string[] {
  const real = Deno.realPathSync(path);
  if (seen.has(real)) return [];
  seen.add(real);
  if (!Deno.statSync(real).isDirectory) return [real];
  return [...Deno.readDirSync(real)].flatMap(({ name, isSymlink }) => {
    if (!isSymlink) return filesBelow(join(real, name), seen);
    const target = Deno.realPathSync(join(real, name));
    return filesBelow(target.replace(/(.*\/node_modules)\/.*/, "$1"), seen);
  });
}

/** Pages that a process has mapped stay. So the benchmark starts copies of the runtimes. */
export function dropFromPageCache(paths: readonly string[]): void {
  const libc = Deno.dlopen("libc.so.6", {
    open: { parameters: ["buffer", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
    fdatasync: { parameters: ["i32"], result: "i32" },
    posix_fadvise: { parameters: ["i32", "i64", "i64", "i32"], result: "i32" },
  });
  for (const path of paths.flatMap((each) => filesBelow(each))) {
    const descriptor = libc.symbols.open(new TextEncoder().encode(`${path}\0`), 0);
    if (descriptor < 0) throw new Error(`${basename(dirname(path))}/${basename(path)} cannot be opened`);
    libc.symbols.fdatasync(descriptor);
    libc.symbols.posix_fadvise(descriptor, 0n, 0n, DONT_NEED);
    libc.symbols.close(descriptor);
  }
  libc.close();
}
