/** A body that stalls for as long as the petstore waits unless told otherwise: no server may hang up before its 408. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startProgram, whyNot } from "./driver/program.ts";
import { HOSTS } from "./hosts.ts";

/** One for each server; what the others are built on is among these. */
const SERVERS = ["deno.ts", "bun.ts", "node.ts", "elysia.ts"];

const hosts = HOSTS.filter(({ file }) => SERVERS.includes(file));
// All at once, since each takes the same sixteen seconds.
const answers = new Map(hosts.map((host) => [host, whyNot(host.runtime) ? undefined : stall(host.file)]));

for (const host of hosts) {
  test(`${host.name} waits with the petstore for a body that stalls`, { skip: whyNot(host.runtime) }, async () => {
    const { status, code } = await answers.get(host)!;
    assert.deepEqual([status, code], [408, "request_timeout"]);
  });
}

async function stall(file: string): Promise<{ status: number; code: string }> {
  const { runtime } = HOSTS.find((host) => host.file === file)!;
  const { origin, stop } = await startProgram(runtime, file, "/v1");
  try {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
    });
    const headers = { authorization: "Bearer pk_example" };
    return await (await fetch(`${origin}/v1/pets`, { method: "POST", headers, body })).json();
  } catch (error) {
    // Nobody awaits it yet: thrown, it would end the whole file.
    return { status: 0, code: String((error as Error).cause ?? error) };
  } finally {
    await stop();
  }
}
