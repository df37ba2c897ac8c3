/** The library on the usual server of the runtime, with its pets in memory. */

import { createServer } from "node:http";
import { createNodeListener } from "../../lib/hosts/node.ts";
import { listen, listenOnNode, readSettings } from "./host.ts";
import { openLibrary } from "./open_library.ts";

const { root, pets } = readSettings<{ root: string; pets: number }>();
const petstore = await openLibrary(root, pets);
if ("Deno" in globalThis) listen(petstore.handle);
else listenOnNode(createServer(createNodeListener(petstore)));
