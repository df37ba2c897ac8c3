/** One line a request, written in batches: a write for each would cost more than the request. */

import { splitUrl } from "../http/routing.ts";

/** Where lines go; standard output. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** An access log. */
export interface AccessLog {
  /** Notes a request that has been answered; it began at `startedAt` of `performance.now()`. */
  add(client: string, method: string, url: string, status: number, startedAt: number): void;
  /** Resolves when all that was noted has been written. */
  flush(): Promise<void>;
}

/** The parameters of the API. Others are not logged: some clients send their key in one (RFC 6750 §2.3). */
const KNOWN_QUERY = /^(?:(?:limit|status|cursor)=[^&]*(?:&|$))*$/;

/** Path and query as a log may show them: without keys, and without what a terminal or a line reader would act on. */
function loggedTarget(url: string): string {
  const { path, query } = splitUrl(url);
  const target = query === "" ? path : `${path}?${KNOWN_QUERY.test(query) ? query : "…"}`;
  return /^[!-~…]*$/.test(target) ? target : target.toWellFormed().replace(/[^!-~…]/gu, encodeURIComponent);
}

/** Lines that wait for a reader that does not read are dropped beyond this many characters, and counted. */
const MAX_WAITING = 1_048_576;

/** Makes an access log. */
export function createAccessLog(sink: LineSink): AccessLog {
  const encoder = new TextEncoder();
  let waiting = "";
  let dropped = 0;
  let writing: Promise<void> | undefined;

  function add(client: string, method: string, url: string, status: number, startedAt: number): void {
    if (waiting.length > MAX_WAITING) {
      dropped++;
      return;
    }
    const time = new Date().toISOString();
    waiting += `${time} ${client} ${method} ${loggedTarget(url)} ${status} ${
      (performance.now() - startedAt).toFixed(1)
    }ms\n`;
    writing ??= drain();
  }

  async function drain(): Promise<void> {
    // What is answered in the same turn of the event loop shares a write.
    await new Promise((resolve) => setTimeout(resolve, 0));
    while (waiting !== "") {
      const lines = dropped === 0 ? waiting : `${waiting}${dropped} lines were dropped: nobody read them\n`;
      waiting = "";
      dropped = 0;
      await writeAll(encoder.encode(lines));
    }
    writing = undefined;
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let offset = 0; offset < bytes.length;) offset += await sink.write(bytes.subarray(offset));
    } catch {
      // Nobody reads the log any more, as after `| head`; the service goes on.
    }
  }

  return { add, flush: async () => await writing };
}
