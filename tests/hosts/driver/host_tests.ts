/** What a host carries: the cases of the HTTP contract that depend on it, and what is harder to carry. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HTTP_CONTRACT } from "../../../lib/testing/http/all.ts";
import { type Host, withApi } from "../../support/api.ts";
import { CASE_HEADER } from "../../support/by_case.ts";
import type { MountedHost } from "../hosts.ts";
import { carriageTests } from "./carriage_tests.ts";
import { carryTo } from "./carrier.ts";
import type { Deviation } from "./deviation.ts";
import { createPrograms, type Programs, whyNot } from "./program.ts";

const BASE_PATHS = ["/v1", "/api/v1", ""];

/** Tests a host in a real process for each mount. */
export function testHost(host: MountedHost): void {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);
  testCases(host, programs, skip);
  for (const [what, run] of Object.entries(carriageTests(host))) {
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
  // For runs with a filter.
  after(() => programs.stop());
}

function testCases(host: MountedHost, programs: Programs, skip: string | false): void {
  const met = new Set<Deviation>();
  for (const [number, { name, options = {}, dependsOn = [], run }] of HTTP_CONTRACT.entries()) {
    if (!host.runsWholeContract && !dependsOn.includes("host")) continue;
    const basePath = options.basePath ?? "/v1";
    test(`${host.name}: the petstore ${name}`, { skip }, async () => {
      const { origin } = await programs.at(basePath);
      const carrier: Host = {
        name: host.name,
        use: (handle, run) =>
          run(origin, (request) => {
            request.headers.set(CASE_HEADER, String(number));
            return carryTo(host, { request, basePath, caseName: name }, handle, met);
          }),
      };
      await withApi(carrier, { ...options }, run);
    });
  }
  test(`${host.name}: every documented deviation has occurred`, { skip }, () => {
    assert.deepEqual(host.deviations.filter((deviation) => !met.has(deviation)), []);
  });
}
