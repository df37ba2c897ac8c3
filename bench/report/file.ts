/** The pages and plots in bench/. */

import { fileURLToPath } from "node:url";

/** Writes a file of bench/, formatted. */
export async function writeFormatted(name: string, text: string): Promise<void> {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  await Deno.writeTextFile(path, text);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", path] }).output();
}
