/** The peer on Deno, and on Node with @hono/node-server. */

import { createHonoApp } from "./hono_app.ts";
import { listen, readSettings } from "./host.ts";

const { pets } = readSettings<{ pets: number }>();
await listen(createHonoApp(pets).fetch);
