/** What a host carries: the cases of the HTTP contract that depend on it, and what is harder to carry. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HttpCase } from "../../../../packages/conformance/lib/http/case.ts";
import { contractTests } from "../../../support/http/host_contract.ts";
import { surviveHostileRequests } from "../../../support/http/hostile_requests.ts";
import type { MountedHost } from "../hosts.ts";
import { CARRIAGE_TESTS } from "./carriage_tests.ts";
import { createPrograms, startProgram, whyNot } from "./program.ts";

const BASE_PATHS = ["/v1", "/api/v1", ""];

/** Tests a host in a real process for each mount. */
export function testHost(host: MountedHost): void {
  const skip = whyNot(host.runtime);
  const programs = createPrograms(host);
  const remote = {
    ...host,
    originFor: async ({ options }: HttpCase) => (await programs.at(options?.basePath ?? "/v1")).origin,
  };
  for (const [name, run] of contractTests(remote)) test(name, { skip }, run);
  for (const [what, run] of Object.entries(CARRIAGE_TESTS)) {
    test(`${host.name} ${what}`, { skip }, async () => await run(await programs.at("/v1")));
  }
  for (const basePath of BASE_PATHS) {
    const name = `${host.name}, mounted at ${basePath || "the root"}`;
    test(`${name}: the app's own route answers beside it`, { skip }, async () => {
      const response = await fetch(`${(await programs.at(basePath)).origin}/hello`);
      assert.deepEqual([response.status, await response.text()], [200, "Hello from the app"]);
    });
  }
  test(`${host.name} survives hostile requests`, { skip }, async () => {
    // Ends the programs now rather than with the file, because each process takes about 60 MB.
    await programs.stop();
    // A process of its own, whose standard error has nothing of other tests.
    await using program = await startProgram(host, "/v1");
    await surviveHostileRequests(program, "pk_example");
  });
  // This ends the programs in runs with a filter too.
  after(() => programs.stop());
}
