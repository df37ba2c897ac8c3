/** Writes docs/hosts.md. */

import { writeFileSync } from "node:fs";
import { createPage } from "./page.ts";

writeFileSync(new URL("../../docs/hosts.md", import.meta.url), createPage());
