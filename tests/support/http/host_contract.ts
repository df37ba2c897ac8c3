/** The HTTP contract through a host in another process. */

import assert from "node:assert/strict";
import { HTTP_CONTRACT } from "../contract/all.ts";
import type { HttpCase } from "../../../packages/conformance/lib/http/case.ts";
import { type Handle, type Host, withApi } from "../api.ts";
import { CASE_HEADER } from "../by_case.ts";
import type { Deviation, HostResponse, Meeting } from "./deviation.ts";
import { sendAlone, sendOn } from "./send_alone.ts";

/** Cases in which the server may close the connection of a client that has not sent its whole body. */
const UNREAD = /413|408/;

/** A host whose petstore is made by by_case.ts. */
export interface RemoteHost {
  name: string;
  deviations: readonly Deviation[];
  originFor(contractCase: HttpCase): string | Promise<string>;
  /** Removes what the host adds to every response, and throws if it is missing. */
  strip?(response: Response): Response;
}

/** Tests of the cases that a host can break, by their names. */
export function contractTests(host: RemoteHost): Map<string, () => Promise<void>> {
  const tests = new Map<string, () => Promise<void>>();
  const met = new Set<Deviation>();
  for (const [number, contractCase] of HTTP_CONTRACT.entries()) {
    const { name, options = {}, dependsOn = [], run } = contractCase;
    if (!dependsOn.includes("host")) continue;
    tests.set(`${host.name}: the petstore ${name}`, async () => {
      const origin = await host.originFor(contractCase);
      const carrier: Host = {
        name: host.name,
        use: (inProcess, run) =>
          run(origin, (request) => {
            request.headers.set(CASE_HEADER, String(number));
            return carryTo(host, { request, basePath: options.basePath ?? "/v1", caseName: name }, inProcess, met);
          }),
      };
      await withApi(carrier, { ...options }, run);
    });
  }
  tests.set(`${host.name}: every documented deviation has occurred`, () => {
    assert.deepEqual(host.deviations.filter((deviation) => !met.has(deviation)), []);
    return Promise.resolve();
  });
  return tests;
}

/** @param met Gets the deviation that has occurred. */
async function carryTo(host: RemoteHost, meeting: Meeting, inProcess: Handle, met: Set<Deviation>): Promise<Response> {
  const { request, caseName } = meeting;
  const transport = UNREAD.test(caseName) ? sendAlone : sendOn;
  const deviation = await deviationOf(host, meeting);
  if (!deviation) {
    const response = await transport(request);
    return host.strip?.(response) ?? response;
  }
  const copy = request.clone();
  const response = await receive(request, transport);
  const checked = await deviation.check(response, copy);
  if (!checked || checked !== response) met.add(deviation);
  if (checked) return checked instanceof Response ? checked : new Response(checked.text, checked);
  const own = await inProcess(copy);
  // A pet that is made in process would hide a failure of the host.
  assert.notEqual(own.status, 201);
  return own;
}

async function deviationOf({ deviations }: RemoteHost, meeting: Meeting): Promise<Deviation | undefined> {
  for (const deviation of deviations) if (await deviation.concerns(meeting)) return deviation;
  return undefined;
}

export async function receive(request: Request, transport: Handle = sendAlone): Promise<HostResponse> {
  try {
    const { status, headers, body } = await transport(request);
    return { status, headers, text: await new Response(body).text() };
  } catch (error) {
    if (!/connection closed|reset|broken pipe/i.test(String((error as Error).cause))) throw error;
    return undefined;
  }
}
