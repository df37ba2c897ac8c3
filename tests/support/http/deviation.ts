/** Responses that a host sends in place of the petstore. They are not skipped: each must be exactly the documented one. */

import assert from "node:assert/strict";

/** A response that has been read, or `undefined` if the connection was closed without one. */
export type HostResponse = { status: number; headers: Headers; text: string } | undefined;

type Checked = Response | HostResponse | void;

/** A request on its way to a host. */
export interface Meeting {
  request: Request;
  /** Where the petstore is mounted. */
  basePath: string;
  /** The case of the contract that sends it. */
  caseName: string;
}

/** Requests that a host answers in its own way. */
export interface Deviation {
  /** A sentence for docs/hosts.md. */
  says: string;
  concerns(meeting: Meeting): boolean | Promise<boolean>;
  /**
   * Throws unless the host's response is the documented one, or returns it if the host has not deviated this time. The contract
   * continues with the response that this returns, or otherwise with that of a petstore in process.
   */
  check(response: HostResponse, request: Request): Checked | Promise<Checked>;
}

/** A path without a route: the app's own 404, without a key check. */
export function outside(text: RegExp, { isBasePathOurs = false } = {}): Deviation {
  return {
    says: `A path outside the base path${isBasePathOurs ? "" : ", or the base path itself,"} gets the app's own 404, ` +
      "without a key check",
    concerns({ request, basePath }) {
      const { pathname } = new URL(request.url);
      return pathname === basePath ? !isBasePathOurs : !pathname.startsWith(`${basePath}/`);
    },
    check: like(404, text),
  };
}

export function unknownMethod(does: string, check: Deviation["check"]): Deviation {
  return {
    says: `An unknown method, such as \`constructor\`, ${does}`,
    concerns: ({ request }) => !/^[A-Z]+$/.test(request.method),
    check,
  };
}

/** A path whose percent-encoding cannot be decoded, such as `%zz` and `%FF`. */
export function undecodablePath(does: string, check: Deviation["check"]): Deviation {
  return {
    says: `A path that does not decode (\`%zz\`) ${does}`,
    concerns({ request }) {
      try {
        decodeURIComponent(new URL(request.url).pathname);
        return false;
      } catch {
        return true;
      }
    },
    check,
  };
}

/** A body of unknown length that is too large, from a client that continues to send. */
export function lateRefusal(why: string): Deviation {
  return {
    says:
      `A client that continues to send a body of unknown length that is too large gets its 413 late, or a reset: ${why}`,
    concerns: async ({ request, caseName }) =>
      /^answers 413 to 3 MiB/.test(caseName) && request.method === "POST" &&
      (await request.clone().arrayBuffer()).byteLength > 65_536,
    check: (response) => assert.ok(response === undefined || response.status === 413),
  };
}

export function exactly(status: number, text: string): Deviation["check"] {
  return (response) => assert.deepEqual([response?.status, response?.text], [status, text]);
}

/** A response of this status whose text matches. A response to HEAD has no body. */
export function like(status: number, text: RegExp): Deviation["check"] {
  return (response) => {
    assert.equal(response?.status, status);
    assert.match(response.text, new RegExp(`^$|${text.source}`));
  };
}

export function noResponse(response: HostResponse): void {
  assert.equal(response, undefined);
}

export const NODE_PARSER: Deviation = unknownMethod("gets 400 without a body from Node's parser", exactly(400, ""));
