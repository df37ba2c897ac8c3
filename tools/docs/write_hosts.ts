/** `deno task docs:hosts`: writes docs/hosts.md. */

import { createHostsPage } from "./hosts_page.ts";

Deno.writeTextFileSync(new URL("../../docs/hosts.md", import.meta.url), createHostsPage());
