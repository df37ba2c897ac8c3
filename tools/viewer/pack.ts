/** Packs the viewer's files for the standalone server: `deno task viewer`. */

import { FILES, FOLDER, LICENCES, readPackaged, VERSION } from "./package.ts";
import { gzipSync } from "node:zlib";

const files = Object.fromEntries(
  FILES.map((name) => [name, gzipSync(readPackaged(name), { level: 9 }).toString("base64")]),
);
Deno.mkdirSync(FOLDER, { recursive: true });
// In lines that an editor can show: `deno fmt` would write the same.
Deno.writeTextFileSync(new URL("swagger_ui.json", FOLDER), JSON.stringify({ version: VERSION, files }, null, 2) + "\n");
for (const name of LICENCES) Deno.writeFileSync(new URL(name, FOLDER), readPackaged(name));
