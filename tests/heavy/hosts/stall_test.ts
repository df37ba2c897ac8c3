/** A body that stalls longer than the default `bodyTimeoutMs`: no server may hang up before the petstore's 408. */

import assert from "node:assert/strict";
import { testUnless } from "../../support/system/commands.ts";
import { startProgram, whyNot } from "./driver/program.ts";
import { HOSTS, type MountedHost } from "./hosts.ts";

/** The servers that all other hosts are built on. */
const SERVERS = ["deno.ts", "bun.ts", "node.ts", "elysia.ts"];

const hosts = HOSTS.filter(({ file }) => SERVERS.includes(file));
// All at once, because each takes 16 seconds.
const responses = new Map(hosts.map((host) => [host, whyNot(host.runtime) ? undefined : stall(host)]));

for (const host of hosts) {
  testUnless(whyNot(host.runtime))(`${host.name} lets the petstore answer 408 to a body that stalls`, async () => {
    const { status, code } = await responses.get(host)!;
    assert.deepEqual([status, code], [408, "request_timeout"]);
  });
}

async function stall(host: MountedHost): Promise<{ status: number; code: string }> {
  try {
    await using program = await startProgram(host, "/v1");
    const begun = new TextEncoder().encode('{"name":');
    const body = new ReadableStream({ start: (controller) => controller.enqueue(begun) });
    const headers = { authorization: "Bearer pk_example" };
    return await (await fetch(`${program.origin}/v1/pets`, { method: "POST", headers, body })).json();
  } catch (error) {
    // The error is not thrown, because a rejection that no test awaits yet would end the whole file.
    return { status: 0, code: String((error as Error).cause ?? error) };
  }
}
