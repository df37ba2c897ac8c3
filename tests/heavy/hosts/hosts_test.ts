/** Tests of each host in a process of its own. */

import assert from "node:assert/strict";
import { assertConforms } from "../../support/conformance.ts";
import { testUnless } from "../../support/system/commands.ts";
import { surviveHostileRequests } from "./hostile_requests.ts";
import { HOSTS, startHost, whyNot } from "./hosts.ts";

const KEY = "pk_example";

for (const host of HOSTS) {
  const { name, basePath = "/v1", isPetstoreAlone, broken = [] } = host;
  testUnless(whyNot(host))(
    `${name} keeps the HTTP contract, except as docs/hosts.md says, and survives hostile requests`,
    async () => {
      await using program = await startHost(host);
      if (!isPetstoreAlone) {
        const response = await fetch(`${program.origin}/hello`);
        assert.deepEqual([response.status, await response.text()], [200, "Hello from the app"]);
      }
      const target = { baseUrl: program.origin + basePath, key: KEY };
      await assertConforms(target, { always: broken });
      await surviveHostileRequests(program, KEY);
    },
  );
}
