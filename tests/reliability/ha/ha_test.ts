import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../support/pages.ts";
import { newSeed } from "../../support/random.ts";
import { testUnless } from "../../support/system/commands.ts";
import { withTempFolder } from "../../support/temp.ts";
import { whyNoHaCluster } from "./cluster.ts";
import { haproxyConfiguration, patroniConfiguration } from "./configuration.ts";
import { FAULT_KINDS } from "./faults.ts";
import { runHaRounds } from "./run.ts";

/** Below Patroni's recommendations, so that the test is short. */
const SHORT = { ttl: 5, retry: 2 } as const;

testUnless(whyNoHaCluster())(
  "a primary under Patroni that is killed, paused, cut off, or cut from its cluster takes no acknowledged pet along",
  () =>
    withTempFolder(async (folder) => {
      const load = { kinds: FAULT_KINDS, servers: 2, clients: 4, enough: 30, seed: newSeed() };
      const settings = { ...SHORT, via: "haproxy" } as const;
      const { rounds, findings } = await runHaRounds({ ...settings, ...load, folder });
      assert.deepEqual(findings, [], `seed ${load.seed}`);
      // Each fault stopped the creates: it hit the primary.
      for (const { kind, repeated } of rounds) assert.ok(repeated > 0, kind);
      assert.equal(rounds.length, FAULT_KINDS.length);
    }),
);

test("docs/scaling.md shows the configuration that is tried, and the defaults of the tool", () => {
  const page = readPage("docs/scaling.md");
  const machine = { name: "db1", address: () => "10.0.0.21" };
  const settings = { ttl: 20, retry: 8, bin: "", folder: "" } as const;
  const { bootstrap } = JSON.parse(patroniConfiguration(machine, machine, settings));
  const { postgresql: { parameters: { max_connections: _, ...parameters }, ...postgresql }, ...dcs } = bootstrap.dcs;
  for (const [name, value] of Object.entries({ ...dcs, ...postgresql, ...parameters })) {
    assert.ok(page.includes(`  ${name}: ${value}\n`), `${name}: ${value}`);
  }
  const [, listen = ""] = haproxyConfiguration([machine]).split(/^(?=listen)/m);
  assert.ok(page.includes(listen.trimEnd()), listen);
});
