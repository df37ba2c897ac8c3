/** What a host does in place of the petstore. None is skipped: each is looked at, and must be just that. */

import assert from "node:assert/strict";

/** An answer that has been read; `undefined` where the connection was closed without one. */
export type HostAnswer = { status: number; headers: Headers; text: string } | undefined;

/** A request, and where it meets the host. */
export interface Meeting {
  request: Request;
  /** Where the petstore is mounted. */
  basePath: string;
  /** The entry of the contract that it belongs to. */
  caseName: string;
}

/** Requests that a host treats in its own way. */
export interface Deviation {
  /** A sentence for docs/hosts.md. */
  says: string;
  concerns(meeting: Meeting): boolean | Promise<boolean>;
  /** Throws unless the host's answer is the deviation and nothing else. */
  check(answer: HostAnswer): void;
  /** Whether it is looked at in one place only, because it takes seconds. */
  isSlow?: boolean;
}

/** What has no route of the app gets the app's own 404, and nobody is asked for a key. */
export function outside(text: RegExp, { isBasePathOurs = false } = {}): Deviation {
  return {
    says: `Paths outside of the base path${isBasePathOurs ? "" : ", and the base path itself,"} are the app's: ` +
      "it answers 404 in its own words, and asks for no key",
    concerns({ request, basePath }) {
      const { pathname } = new URL(request.url);
      return pathname === basePath ? !isBasePathOurs : !pathname.startsWith(`${basePath}/`);
    },
    check: (answer) => {
      assert.equal(answer?.status, 404);
      // An answer to HEAD has no body.
      assert.match(answer.text, new RegExp(`^$|${text.source}`));
    },
  };
}

/** A method that is none of the registered ones, such as `constructor`. */
export function unknownMethod(does: string, check: Deviation["check"]): Deviation {
  return {
    says: `A method that HTTP does not have (\`constructor\`) ${does}`,
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

/** An answer of this status whose whole text is this. */
export function exactly(status: number, text: string): Deviation["check"] {
  return (answer) => assert.deepEqual([answer?.status, answer?.text], [status, text]);
}

/** No answer: the connection is closed. */
export function noAnswer(answer: HostAnswer): void {
  assert.equal(answer, undefined);
}
