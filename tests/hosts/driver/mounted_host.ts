/** Carries the requests of the HTTP contract to a program. */

import assert from "node:assert/strict";
import { CASE_HEADER } from "../../support/by_case.ts";
import type { Handle, Host } from "../../support/api.ts";
import { sendAlone } from "../../support/http/send_alone.ts";
import type { MountedHost } from "../hosts.ts";
import type { Deviation, HostResponse } from "./deviation.ts";
import { CONTRACT_BASE_PATH } from "./mounted_api.ts";
import type { Program } from "./program.ts";

/** A case of the contract at one mount of a host. */
export interface Mounting {
  host: MountedHost;
  program: Program;
  basePath: string;
  /** The number of the case. */
  number: number;
  caseName: string;
  met: Set<Deviation>;
}

/** Cases in which the server may close the connection of a client that has not sent its whole body. */
const UNREAD = /413|408/;

/** Where the program deviates, the contract continues with the response of a petstore in process. */
export function createHost({ host, program, basePath, number, caseName, met }: Mounting): Host {
  const transport: Handle = UNREAD.test(caseName) ? sendAlone : fetch;
  async function send(request: Request, handle: Handle): Promise<Response> {
    request.headers.set(CASE_HEADER, String(number));
    const meeting = { request, basePath, caseName };
    for (const deviation of host.deviations) {
      if (!await deviation.concerns(meeting)) continue;
      if (deviation.isSlow && basePath !== CONTRACT_BASE_PATH) return await handle(request);
      const own = await handle(request.clone());
      deviation.check(await ask(request, transport));
      met.add(deviation);
      return own;
    }
    return withoutAdded(host.adds ?? {}, await transport(request));
  }
  return { name: host.name, use: (handle, run) => run(program.origin, (request) => send(request, handle)) };
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
