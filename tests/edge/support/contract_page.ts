/** The HTTP contract inside a page, with the page's own `fetch`. Bundled, and called by the test. */

import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import { type Host, withApi } from "../../support/api.ts";
import { CASE_HEADER } from "./case_header.ts";

/** Runs one case of the contract. */
async function runCase(number: number): Promise<void> {
  const { options = {}, run } = HTTP_CONTRACT[number]!;
  const page: Host = {
    name: "page",
    use: (_handle, run) =>
      run(globalThis.location.origin, (request) => {
        request.headers.set(CASE_HEADER, String(number));
        return fetch(request);
      }),
  };
  await withApi(page, { ...options }, run);
}

Object.assign(globalThis, { runCase });
