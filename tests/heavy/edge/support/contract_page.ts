/** The HTTP contract inside a page, with the page's own `fetch`. Bundled, and called by the test. */

import { HTTP_CONTRACT } from "../../../support/contract/all.ts";
import { CASE_HEADER } from "../../../support/by_case.ts";
import { withApi } from "../../../support/api.ts";

async function runCase(number: number): Promise<void> {
  const { options = {}, run } = HTTP_CONTRACT[number]!;
  const send = (request: Request) => {
    request.headers.set(CASE_HEADER, String(number));
    return fetch(request);
  };
  await withApi({ name: "page", use: (_handle, run) => run(globalThis.location.origin, send) }, { ...options }, run);
}

Object.assign(globalThis, { runCase });
