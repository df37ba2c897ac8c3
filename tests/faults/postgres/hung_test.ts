import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type Cluster, pidOf, whyNoCluster } from "../../support/postgres/cluster.ts";
import { createOnce, KEY, untilAnswered, withCluster, withOneServer } from "./support.ts";
import { testUnless } from "../../support/system/commands.ts";

const test = testUnless(whyNoCluster());

function signal(cluster: Cluster, name: "STOP" | "CONT"): void {
  const pid = String(pidOf(cluster));
  const children = spawnSync("pgrep", ["-P", pid], { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
  assert.equal(spawnSync("kill", [`-${name}`, pid, ...children]).status, 0);
}

test("a server whose PostgreSQL hangs answers every create in time and ends at SIGTERM", () =>
  withCluster((cluster, url) =>
    withOneServer(url, async (server) => {
      assert.equal((await createOnce(server, "Rex")).status, 201);
      signal(cluster, "STOP");
      const headers = { "content-type": "application/json", "idempotency-key": "one" };
      // One key with different pets: each create would be a statement of its own.
      const creates = Array.from({ length: 30 }, (_, i) => {
        const body = JSON.stringify({ name: `pet ${i}`, categoryId: 7 });
        return server.ask("/v1/pets", KEY, { method: "POST", headers, body });
      });
      await Promise.race(creates);
      const more = Array.from({ length: 30 }, (_, i) => createOnce(server, `more.${i}`));
      // Those have reached the store: a later request on another connection has been answered.
      await server.ask("/livez", null);
      assert.equal(await server.stop(), 0);
      const responses = await Promise.all([...creates, ...more]);
      assert.deepEqual([...new Set(responses.map(({ status }) => status))], [503]);
    })
  ));

test("a server recovers when its PostgreSQL continues, and has stored no create that it refused before sending it", () =>
  withCluster((cluster, url) =>
    withOneServer(url, async (server) => {
      assert.equal((await createOnce(server, "Rex")).status, 201);
      signal(cluster, "STOP");
      // The first is sent, and most others wait for it.
      const first = createOnce(server, "first");
      const others = Array.from({ length: 10 }, (_, i) => createOnce(server, `other.${i}`));
      const statuses = (await Promise.all([first, ...others])).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [503]);
      signal(cluster, "CONT");
      await untilAnswered(server, "/readyz", 200);
      assert.equal((await createOnce(server, "after")).status, 201);
      const { length } = JSON.parse((await server.ask("/v1/pets", KEY)).text);
      assert.equal(await server.stop(), 0);
      // A statement cannot be taken back from a stopped process.
      const count = (reason: string) => server.written.stderr.split(`POST /v1/pets failed: ${reason}`).length - 1;
      const sent = count("PostgreSQL has not answered within"),
        waiting = count("PostgreSQL did not finish the earlier creates");
      assert.equal(sent + waiting, 11, server.written.stderr);
      assert.ok(length - 2 <= sent, `${length - 2} were stored, but only ${sent} were sent`);
    })
  ));
