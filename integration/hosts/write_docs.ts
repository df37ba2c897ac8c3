/** Writes docs/embedding.md. */

import { writeFileSync } from "node:fs";
import { createPage } from "./page.ts";

writeFileSync(new URL("../../docs/embedding.md", import.meta.url), createPage());
