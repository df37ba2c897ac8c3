/** `deno task release:notes` prints the notes of the version in deno.json: its section of the CHANGELOG. */

import { notesOf } from "./check.ts";
import { readPackages } from "./packages.ts";

console.log(notesOf(readPackages()[0]!.config.version));
