/** The HTTP contract through a host that runs somewhere else, behind a real socket. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import type { HttpCase } from "../../contract/http/case.ts";
import { type Handle, type Host, withApi } from "../../support/api.ts";
import { sendAlone } from "../../support/http/send_alone.ts";
import { CASE_HEADER } from "./case_header.ts";

/** Where a petstore can be mounted in every host. */
export const BASE_PATHS = ["/v1", "/api/v1", ""] as const;
export type BasePath = (typeof BASE_PATHS)[number];

/** Something that a host answers itself, or changes on the way. */
export interface Deviation {
  /** What it does, and why: a sentence, behind the host's name. */
  reason: string;
  /** Whether it concerns this request. */
  applies(request: Request): boolean;
  /**
   * Throws unless the answer is exactly what the host is known to give. What it returns takes the answer's place, or
   * else what a petstore with the same options, and nothing in it, answers without a host.
   */
  check(answer: Response, request: Request): void | Response | Promise<void | Response>;
}

/** Cases in which the host closes a connection whose request body is not read to its end, so that no answer arrives. */
export interface Cut {
  /** What it does, and why: a sentence, behind the host's name. */
  reason: string;
  cases: RegExp;
  /** Whether it always happens, or is a race that the answer may win. */
  isCertain: boolean;
}

/** A host that closes a connection as soon as it has answered. */
export const CLOSED_EARLY: Cut = {
  reason: "may close the connection of a client that still sends, before the client has read the answer",
  cases: /^answers 413 to 3 MiB/,
  isCertain: false,
};

/** A host under test, with the contract's library beneath its mounting files. */
export interface RemoteHost {
  name: string;
  /** The origin at which a petstore is mounted at this base path. */
  origins: Record<BasePath, string>;
  deviations?: readonly Deviation[];
  cut?: Cut;
  /** Takes away what the host adds to every answer, and throws if it is not there. */
  strip?(response: Response): Response;
}

/** Cases that ask for paths outside the base path, which the app keeps for itself unless the petstore is at the root. */
const OUTSIDE =
  /^answers 401 missing_api_key on every path|^answers 404 route_not_found to every path|^serves under any/;

/** Runs every case as a test of its own, each at the mount that its base path asks for. */
export async function testContract(context: TestContext, host: RemoteHost): Promise<void> {
  const { name: hostName, deviations = [] } = host;
  const met = new Set<Deviation | Cut>();
  for (const [number, { name, options = {}, run }] of HTTP_CONTRACT.entries()) {
    const basePath = mountOf(name, options);
    const carrier: Host = {
      name: hostName,
      use: (inProcess, run) => {
        const cut = host.cut?.cases.test(name) ? host.cut : undefined;
        return run(host.origins[basePath], (request) => carryTo(host, { request, number, met, inProcess, cut }));
      },
    };
    await context.test(
      `${hostName}, mounted at ${basePath || "the root"}: the petstore ${name}`,
      () => withApi(carrier, { ...options }, run),
    );
  }
  for (const deviation of [...deviations, ...host.cut?.isCertain ? [host.cut] : []]) {
    await context.test(`${hostName} ${deviation.reason}`, () => assert.ok(met.has(deviation), "no case has met it"));
  }
}

/** Where a case is run. */
export function mountOf(name: string, { basePath = "/v1" }: NonNullable<HttpCase["options"]>): BasePath {
  const isMount = (path: string): path is BasePath => BASE_PATHS.includes(path as BasePath);
  return isMount(basePath) && !OUTSIDE.test(name) ? basePath : "";
}

interface Carried {
  request: Request;
  /** The case's. */
  number: number;
  met: Set<Deviation | Cut>;
  /** A petstore with the case's options, for what the host answers itself. */
  inProcess: Handle;
  /** If this case is one in which the connection is cut. */
  cut: Cut | undefined;
}

async function carryTo(host: RemoteHost, { request, number, met, inProcess, cut }: Carried): Promise<Response> {
  request.headers.set(CASE_HEADER, String(number));
  const spare = cut ? request.clone() : request;
  const deviation = host.deviations?.find(({ applies }) => applies(request));
  const copy = deviation ? request.clone() : request;
  try {
    const answer = await sendAlone(request);
    if (!deviation) return host.strip?.(answer) ?? answer;
    const amended = await deviation.check(answer, copy);
    met.add(deviation);
    return amended ?? inProcess(copy);
  } catch (error) {
    if (!cut || !/reset|broken pipe|closed/i.test(String((error as Error).cause))) throw error;
    // Only refusals are cut. A pet made in process instead would be missed, and would hide that the host had failed.
    const refusal = await inProcess(spare);
    if (refusal.status < 400) throw error;
    met.add(cut);
    return refusal;
  }
}
