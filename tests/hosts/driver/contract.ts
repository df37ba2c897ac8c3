/** The whole HTTP contract in a host: a real process, mounted in three places. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HTTP_CONTRACT } from "../../../lib/testing/http/all.ts";
import { withApi } from "../../support/api.ts";
import { createHost } from "./mounted_host.ts";
import type { Deviation } from "./deviation.ts";
import { asMountedAt, CONTRACT_BASE_PATH } from "./mounted_api.ts";
import { createPrograms, whyNot } from "./program.ts";
import type { MountedHost } from "../hosts.ts";

const BASE_PATHS = [CONTRACT_BASE_PATH, "", "/api/v1"];

/** Registers a test for every case at every mount. */
export function testContract(host: MountedHost): void {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);
  const met = new Set<Deviation>();

  for (const basePath of BASE_PATHS) {
    const where = `${host.name}, mounted at ${basePath || "the root"}`;
    for (const [i, { name, options = {}, run }] of HTTP_CONTRACT.entries()) {
      // A case about a base path names its own mount, so once is enough.
      if (options.basePath !== undefined && basePath !== CONTRACT_BASE_PATH) continue;
      const mounted = options.basePath ?? basePath;
      test(`${where}: the petstore ${name}`, { skip }, async () => {
        const program = await programs.at(mounted);
        const carrier = createHost({ host, program, basePath: mounted, number: i, caseName: name, met });
        const api = options.basePath === undefined ? asMountedAt.bind(undefined, basePath) : undefined;
        await withApi(carrier, { ...options, basePath: mounted }, (client) => run(api ? api(client) : client));
        // Each process takes about 60 MB.
        if (mounted !== basePath) await programs.stop(mounted);
      });
    }
    const isHidden = host.hidesAppAtRoot && basePath === "";
    test(`${where}: the app's own route ${isHidden ? "is hidden" : "answers beside it"}`, { skip }, async () => {
      const response = await fetch(`${(await programs.at(basePath)).origin}/hello`);
      const text = await response.text();
      if (isHidden) assert.match(`${response.status} ${text}`, /^401 .*"missing_api_key"/);
      else assert.deepEqual([response.status, text], [200, "Hello from the app"]);
      await programs.stop(basePath);
    });
  }

  test(`${host.name}: every documented deviation has occurred`, { skip }, () => {
    assert.deepEqual(host.deviations.filter((deviation) => !met.has(deviation)), []);
  });

  // For runs with a filter.
  after(() => programs.stop());
}
