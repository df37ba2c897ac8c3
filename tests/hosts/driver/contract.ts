/** The whole HTTP contract, in every host, mounted in three places: real processes, real sockets, one client. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { HTTP_CONTRACT } from "../../contract/http/all.ts";
import { withApi } from "../../support/api.ts";
import { createHost } from "./mounted_host.ts";
import type { Deviation } from "./deviation.ts";
import { asMountedAt, CONTRACT_BASE_PATH } from "./mounted_api.ts";
import { whyNot } from "./program.ts";
import { createPrograms } from "./programs.ts";
import type { MountedHost } from "../hosts.ts";

const BASE_PATHS = [CONTRACT_BASE_PATH, "", "/api/v1"];

/** Registers a test for every entry, at every mount of this host. */
export function testContract(host: MountedHost): void {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);
  const met = new Set<Deviation>();

  for (const basePath of BASE_PATHS) {
    const where = `${host.name}, mounted at ${basePath || "the root"}`;
    for (const [i, { name, options = {}, run }] of HTTP_CONTRACT.entries()) {
      // A case about a base path says itself where it is; once is enough.
      if (options.basePath !== undefined && basePath !== CONTRACT_BASE_PATH) continue;
      const mounted = options.basePath ?? basePath;
      test(`${where}: the petstore ${name}`, { skip }, async () => {
        const program = await programs.at(mounted);
        await program.choose(i);
        const carrier = createHost({ host, program, basePath: mounted, caseName: name, met });
        const api = options.basePath === undefined ? asMountedAt.bind(undefined, basePath) : undefined;
        await withApi(carrier, { ...options, basePath: mounted }, (client) => run(api ? api(client) : client));
        // As few processes as can be: each takes some sixty megabytes.
        if (mounted !== basePath) await programs.stop(mounted);
      });
    }
    test(`${where}: the app's own route answers beside it`, { skip }, async () => {
      const response = await fetch(`${(await programs.at(basePath)).origin}/hello`);
      assert.deepEqual([response.status, await response.text()], [200, "Hello from the app"]);
      await programs.stop(basePath);
    });
  }

  test(`${host.name}: each deviation that is written down has been met`, { skip }, () => {
    assert.deepEqual(host.deviations.filter((deviation) => !met.has(deviation)), []);
  });

  // For runs that leave some of these tests out.
  after(() => programs.stop());
}
