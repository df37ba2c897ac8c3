import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage } from "../../../tests/support/pages.ts";
import type { Ledger } from "../../../tests/support/server/ledger.ts";
import type { ServerProcess } from "../../../tests/support/server/server_process.ts";
import { testUnless } from "../../../tests/support/system/commands.ts";
import { withTempFolder } from "../../../tests/support/temp.ts";
import { until } from "../../../tests/support/until.ts";
import { type Asked, KEY, underLoad, withServers } from "../../../tests/support/postgres/servers.ts";
import { Follower } from "../shared/follower.ts";
import { Journal } from "../shared/journal.ts";
import { HaCluster, whyNoHaCluster } from "./cluster.ts";
import type { Machine } from "./network.ts";
import { haproxyConfiguration, patroniConfiguration } from "./configuration.ts";
import { FAULT_KINDS, type FaultKind, inflict, mend } from "./faults.ts";

/** The times of Patroni. They are below its recommendations, so that the test is short. */
const TIMING = { ttl: 5, retry: 2 };

/** A load that leaves Patroni its time: it would take a machine without a pause for a dead one. */
function paced({ ask }: Asked): Asked {
  return {
    async ask(...request) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return await ask(...request);
    },
  };
}

/** The pet that was acknowledged last is shown by every server, or there is no response. */
async function readLast(server: Asked, ledger: Ledger): Promise<void> {
  const last = [...ledger.pets].at(-1);
  if (last === undefined) return;
  const [id, text] = last;
  const response = await server.ask(`/v1/pets/${id}`, KEY);
  assert.ok(response.status === 503 || response.text === text, `${response.text} was shown for ${text}`);
}

/** Makes another node the primary, and returns the old one. */
async function loseThePrimary(kind: FaultKind, cluster: HaCluster): Promise<Machine> {
  for (let left = 2;; left--) {
    await cluster.untilWhole();
    const primary = await cluster.primary();
    assert.ok(primary, "There is no primary");
    inflict(kind, primary);
    if (await cluster.failsOver(primary)) return primary;
    // A primary that was changing its synchronous standby is the only one that surely has all pets: Patroni waits for it.
    const text = `${kind}: no other node became the primary. ${cluster.describe()}`;
    assert.ok(left > 0, text);
    console.log(text);
    mend(kind, primary, cluster);
  }
}

async function fail(kind: FaultKind, cluster: HaCluster, [loaded, idle]: [Asked, Asked], ledger: Ledger) {
  const untilMore = async () => {
    const wanted = ledger.pets.size + 30;
    await until("30 acknowledgements", async () => {
      await readLast(loaded, ledger);
      return ledger.pets.size >= wanted;
    }, 180);
  };
  await untilMore();
  await readLast(idle, ledger);
  const { refused } = ledger;
  const primary = await loseThePrimary(kind, cluster);
  await untilMore();
  assert.ok(ledger.refused > refused, `${kind}: no create was refused, so it has not hit the primary`);
  // A server without requests, while the old primary learns that it is none.
  let isBack = false;
  const asking = (async () => {
    while (!isBack) await readLast(paced(idle), ledger);
  })();
  mend(kind, primary, cluster);
  await cluster.untilWhole().finally(() => isBack = true);
  await asking;
}

testUnless(whyNoHaCluster())(
  "a primary under Patroni that is killed, paused, cut off, or cut from its cluster takes no acknowledged pet along",
  () =>
    withTempFolder(async (folder) => {
      // The nodes run as another user.
      Deno.chmodSync(folder, 0o755);
      using cluster = new HaCluster(folder, TIMING);
      await cluster.untilWhole();
      await withServers(cluster.url, 3, async (servers) => {
        const [idle, ...loaded] = servers as [ServerProcess, ServerProcess, ServerProcess];
        const follower = new Follower(() => loaded.map(({ port }) => port));
        const journal = new Journal();
        await underLoad(cluster.url, loaded.map(paced), 4, async (ledger) => {
          for (const kind of FAULT_KINDS) await fail(kind, cluster, [paced(loaded[0]), idle], ledger);
        });
        await follower.finish(journal);
        assert.deepEqual(journal.findings, []);
      });
    }),
);

test("docs/scaling.md shows the configuration that is tried", () => {
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
