import assert from "node:assert/strict";
import type { ServerProcess } from "../../support/server/server_process.ts";

/** Stops a server, and checks which requests it has logged, such as `GET /v1/pets 200`. */
export async function assertSeen(server: ServerProcess, expected: string[]): Promise<void> {
  assert.equal(await server.stop(), 0);
  const lines = server.written.stdout.matchAll(/^\S+Z 127\.0\.0\.1 (.+) \d+\.\dms$/gm);
  assert.deepEqual(Array.from(lines, ([, request]) => request), expected);
}
