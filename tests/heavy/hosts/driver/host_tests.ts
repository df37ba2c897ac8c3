/** What a host carries: the cases of the HTTP contract that depend on it, and what is harder to carry. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HttpCase } from "../../../../packages/conformance/lib/http/case.ts";
import { contractTests } from "../../../support/http/host_contract.ts";
import { checkOddResponses, surviveHostileRequests } from "../../../support/http/odd_requests.ts";
import type { MountedHost } from "../hosts.ts";
import { carriageTests } from "./carriage_tests.ts";
import { createPrograms, startProgram, whyNot } from "./program.ts";

const BASE_PATHS = ["/v1", "/api/v1", ""];

/** Tests a host in a real process for each mount. */
export function testHost(host: MountedHost): void {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);
  const remote = {
    ...host,
    originFor: async ({ options }: HttpCase) => (await programs.at(options?.basePath ?? "/v1")).origin,
    strip: (response: Response) => withoutAdded(host, response),
  };
  for (const [name, run] of contractTests(remote, host.runsWholeContract ? undefined : "host")) {
    test(name, { skip }, run);
  }
  for (const [what, run] of Object.entries(carriageTests(host))) {
    if (host.collectsBodies && /^(cancels|aborts) /.test(what)) continue;
    test(`${host.name} ${what}`, { skip }, async () => await run(await programs.at("/v1")));
  }
  for (const basePath of BASE_PATHS) {
    const isHidden = host.hidesAppAtRoot && basePath === "";
    const name = `${host.name}, mounted at ${basePath || "the root"}`;
    test(`${name}: the app's own route ${isHidden ? "is hidden" : "answers beside it"}`, { skip }, async () => {
      const response = await fetch(`${(await programs.at(basePath)).origin}/hello`);
      const text = await response.text();
      if (isHidden) assert.match(`${response.status} ${text}`, /^401 .*"missing_api_key"/);
      else assert.deepEqual([response.status, text], [200, "Hello from the app"]);
      // Now rather than at the end, because each process takes about 60 MB.
      await programs.stop(basePath);
    });
  }
  const key = "Authorization: Bearer pk_example\r\n";
  test(`${host.name} survives hostile requests`, { skip }, async () => {
    // A process of its own, whose standard error has nothing of other tests.
    await using program = await startProgram(host, "/v1");
    await surviveHostileRequests(program, key);
    // Odd responses of the gateway in the tests say nothing of a cloud.
    if (!host.collectsBodies) await checkOddResponses(program.origin, key, host.odd);
  });
  // This ends the programs in runs with a filter too.
  after(() => programs.stop());
}

function withoutAdded({ adds = {} }: MountedHost, { status, headers: given, body }: Response): Response {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(adds)) {
    assert.equal(headers.get(name), value);
    headers.delete(name);
  }
  return new Response(body, { status, headers });
}
