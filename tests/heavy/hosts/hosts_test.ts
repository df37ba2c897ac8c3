/** Tests of each host in a process of its own. */

import assert from "node:assert/strict";
import { assertConforms } from "../../support/conformance.ts";
import { testUnless } from "../../support/system/commands.ts";
import { surviveHostileRequests } from "./hostile_requests.ts";
import { BUN_SERVE, HOSTS, startHost, whyNot } from "./hosts.ts";

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

testUnless(whyNot(BUN_SERVE))(
  "Bun does not hang up before the petstore's 408 to a body that stalls for the default time",
  async () => {
    await using program = await startHost(BUN_SERVE);
    const headers = { authorization: `Bearer ${KEY}` };
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
    assert.equal((await fetch(`${program.origin}/v1/pets`, { method: "POST", headers, body })).status, 408);
  },
);
