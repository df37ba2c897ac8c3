/** Scalar's mock server, as its documentation starts it. */

import { createMockServer } from "@scalar/mock-server";

const [document = "", port = ""] = Deno.args;
const app = await createMockServer({ document: JSON.parse(Deno.readTextFileSync(document)) });
Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, (request) => app.fetch(request));
