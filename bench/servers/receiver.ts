/** A receiver of traces that discards them. */

import { listen } from "./host.ts";

await listen(async (request) => {
  await request.arrayBuffer();
  return new Response(null, { headers: { "content-type": "application/x-protobuf" } });
});
