/** The HTTP contract through a host in another process. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { HTTP_CONTRACT } from "../../../lib/testing/http/all.ts";
import { CASE_HEADER } from "../../support/by_case.ts";
import type { Dependency, HttpCase } from "../../../lib/testing/http/case.ts";
import { type Handle, type Host, withApi } from "../../support/api.ts";
import { sendAlone } from "../../support/http/send_alone.ts";

export const BASE_PATHS = ["/v1", "/api/v1", ""] as const;
export type BasePath = (typeof BASE_PATHS)[number];

/** Requests that a host answers itself, or responses that it changes. */
export interface Deviation {
  /** A sentence that begins after the host's name. */
  reason: string;
  applies(request: Request): boolean;
  /**
   * Throws unless the response is the documented one. The contract continues with the response that this returns, or
   * otherwise with that of an empty petstore in process.
   */
  check(response: Response, request: Request): void | Response | Promise<void | Response>;
}

/** Cases in which no response arrives, because the host closes a connection whose request body is not read to its end. */
export interface Cut {
  /** A sentence that begins after the host's name. */
  reason: string;
  cases: RegExp;
  /** Whether it always happens. If not, the response may arrive first. */
  isCertain: boolean;
}

export const CLOSED_EARLY: Cut = {
  reason: "may close the connection of a client that still sends, before the client has read the response",
  cases: /^answers 413 to 3 MiB/,
  isCertain: false,
};

export function exactly(status: number, text: string): Deviation["check"] {
  return async (response) => assert.deepEqual([response.status, await response.text()], [status, text]);
}

export function unknownMethod(reason: string, check: Deviation["check"], methods = /^(get|constructor)$/): Deviation {
  return { reason, applies: ({ method }) => methods.test(method), check };
}

export function undecodable(reason: string, check: Deviation["check"]): Deviation {
  return { reason, applies: ({ url }) => /%zz|%FF/.test(new URL(url).pathname), check };
}

export const NODE_PARSER: Deviation = unknownMethod(
  "leaves it to Node to answer 400 without a body to a method that is not registered",
  exactly(400, ""),
);

/** A host under test. Its mounting files import support/contract_petstore.ts. */
export interface RemoteHost {
  name: string;
  /** Those of the mounts that the cases need. */
  origins: Partial<Record<BasePath, string>>;
  deviations?: readonly Deviation[];
  cut?: Cut;
  /** Removes what the host adds to every response, and throws if it is missing. */
  strip?(response: Response): Response;
}

/** Cases with paths outside the base path, which the app answers unless the petstore is at the root. */
const OUTSIDE =
  /^answers 401 missing_api_key on every path|^answers 404 route_not_found to every path|^serves under any/;

/**
 * Runs cases as tests of their own, each at the mount of its base path.
 *
 * @param dependency Runs only the cases that depend on a store, or on a host.
 */
export async function testContract(context: TestContext, host: RemoteHost, dependency?: Dependency): Promise<void> {
  const { name: hostName, deviations = [] } = host;
  const met = new Set<Deviation | Cut>();
  for (const [number, { name, options = {}, dependsOn = [], run }] of HTTP_CONTRACT.entries()) {
    if (dependency && !dependsOn.includes(dependency)) continue;
    const basePath = mountOf(name, options);
    const carrier: Host = {
      name: hostName,
      use: (inProcess, run) => {
        const cut = host.cut?.cases.test(name) ? host.cut : undefined;
        return run(host.origins[basePath]!, (request) => {
          request.headers.set(CASE_HEADER, String(number));
          return carryTo(host, { request, met, inProcess, cut });
        });
      },
    };
    const title = `${hostName}, mounted at ${basePath || "the root"}: the petstore ${name}`;
    await context.test(title, () => withApi(carrier, { ...options }, run));
  }
  for (const deviation of [...deviations, ...host.cut?.isCertain ? [host.cut] : []]) {
    await context.test(`${hostName} ${deviation.reason}`, () => assert.ok(met.has(deviation), "no case has met it"));
  }
}

export function mountOf(name: string, { basePath = "/v1" }: NonNullable<HttpCase["options"]>): BasePath {
  const isMount = (path: string): path is BasePath => BASE_PATHS.includes(path as BasePath);
  return isMount(basePath) && !OUTSIDE.test(name) ? basePath : "";
}

interface Carried {
  request: Request;
  met: Set<Deviation | Cut>;
  /** A petstore with the case's options, for requests that the host answers itself. */
  inProcess: Handle;
  /** Set in a case of the host's cut. */
  cut: Cut | undefined;
}

async function carryTo(host: RemoteHost, { request, met, inProcess, cut }: Carried): Promise<Response> {
  const spare = cut ? request.clone() : request;
  const deviation = host.deviations?.find(({ applies }) => applies(request));
  const copy = deviation ? request.clone() : request;
  try {
    const response = await sendAlone(request);
    if (!deviation) return host.strip?.(response) ?? response;
    const amended = await deviation.check(response, copy);
    met.add(deviation);
    return amended ?? inProcess(copy);
  } catch (error) {
    if (!cut || !/reset|broken pipe|closed/i.test(String((error as Error).cause))) throw error;
    // Only refusals may be cut: a pet that is made in process would hide a failure of the host.
    const refusal = await inProcess(spare);
    if (refusal.status < 400) throw error;
    met.add(cut);
    return refusal;
  }
}
