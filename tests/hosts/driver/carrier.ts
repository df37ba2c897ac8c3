/** Carries the requests of the HTTP contract to a program. */

import assert from "node:assert/strict";
import type { Handle } from "../../support/api.ts";
import { sendAlone } from "../../support/http/send_alone.ts";
import type { MountedHost } from "../hosts.ts";
import type { Deviation, HostResponse, Meeting } from "./deviation.ts";

/** Cases in which the server may close the connection of a client that has not sent its whole body. */
const UNREAD = /413|408/;

/**
 * Where the program deviates, the contract continues with the response of a petstore in process.
 *
 * @param met Gets the deviations that have occurred.
 */
export async function carryTo(
  host: MountedHost,
  meeting: Meeting,
  inProcess: Handle,
  met: Set<Deviation>,
): Promise<Response> {
  const { request, caseName } = meeting;
  const transport: Handle = UNREAD.test(caseName) ? sendAlone : fetch;
  for (const deviation of host.deviations) {
    if (!await deviation.concerns(meeting)) continue;
    const own = await inProcess(request.clone());
    deviation.check(await ask(request, transport));
    met.add(deviation);
    return own;
  }
  return withoutAdded(host.adds ?? {}, await transport(request));
}

async function ask(request: Request, transport: Handle): Promise<HostResponse> {
  try {
    const { status, headers, body } = await transport(request);
    return { status, headers, text: await new Response(body).text() };
  } catch (error) {
    if (!/connection closed|reset by peer|broken pipe/i.test(String((error as Error).cause))) throw error;
    return undefined;
  }
}

function withoutAdded(added: Readonly<Record<string, string>>, { status, headers: given, body }: Response): Response {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(added)) {
    assert.equal(headers.get(name), value);
    headers.delete(name);
  }
  return new Response(body, { status, headers });
}
