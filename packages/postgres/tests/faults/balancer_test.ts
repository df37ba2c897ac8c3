import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { whyNoCluster } from "../../../../tests/support/postgres/cluster.ts";
import { type Nginx, UNLIMITED, whyNoNginx, withNginx } from "../../../../tests/support/nginx/nginx.ts";
import { request, type ServerProcess, withServer } from "../../../../tests/support/server/server_process.ts";
import { withTempFolder } from "../../../../tests/support/temp.ts";
import type { SeenResponse } from "../../../../tests/support/openapi_validator.ts";
import {
  type Asked,
  KEY,
  onStore,
  underLoad,
  withDatabase,
  withServers,
} from "../../../../tests/support/postgres/servers.ts";
import { testUnless } from "../../../../tests/support/system/commands.ts";

const test = testUnless(whyNoCluster() || whyNoNginx());

/** The values that docs/scaling.md gives for the marked lines of docs/nginx.conf. */
function settingsOf(ports: readonly number[]): Record<string, string> {
  const page = readFileSync(new URL("../../../../docs/scaling.md", import.meta.url), "utf8");
  const [, servers = ""] = /^upstream petstore \{\n([^]*?)\n +keepalive/m.exec(page) ?? [];
  const names = servers.trim().split("\n").map((line) => line.trim().replace(/^server |;$/g, ""));
  assert.equal(names.length, ports.length, "docs/scaling.md does not show as many servers");
  const [, retries = ""] = /^proxy_next_upstream (.*);$/m.exec(page) ?? [];
  const [, tries = ""] = /^proxy_next_upstream_tries (.*);$/m.exec(page) ?? [];
  const here = names.map((name, i) => name.replace(/^[\d.]+:8000/, `127.0.0.1:${ports[i]}`));
  return { petstore: here.join("; server "), next_upstream: retries, tries };
}

/** What a client makes of a response that ends too early: the same as of nginx's own 502. */
const CUT: SeenResponse = { status: 502, headers: new Headers(), text: '{"code":"bad_gateway","message":"cut"}' };

function through({ origin, validate }: Nginx): Asked {
  return {
    async ask(path, key, init = {}) {
      try {
        return await request(origin + path, key, init, validate);
      } catch (error) {
        if (!/error reading a body/.test(String(error))) throw error;
        return CUT;
      }
    },
  };
}

/** Lists without an error. A kill may cut one response of each reader: nginx cannot take back what it has begun to pass on. */
async function listOnAndOn(asked: Asked, isDone: () => boolean, isKilled: () => boolean): Promise<number> {
  let count = 0, cuts = 0;
  for (; !isDone(); count++) {
    const response = await asked.ask("/v1/pets?limit=5", KEY);
    if (response === CUT && isKilled() && ++cuts === 1) continue;
    assert.equal(response.status, 200, response.text);
  }
  return count;
}

test("readers behind nginx do not notice a server that ends, and one that is killed cuts one response at most", () =>
  withDatabase((url) =>
    withServers(
      url,
      4,
      (servers) =>
        withTempFolder((folder) =>
          withNginx(folder, 0, { ...UNLIMITED, ...settingsOf(servers.map(({ port }) => port)) }, async (nginx) => {
            const asked = through(nginx);
            let isDone = false, isKilled = false;
            const lists = Array.from({ length: 4 }, () => listOnAndOn(asked, () => isDone, () => isKilled));
            await underLoad(url, [asked], 8, async () => {
              const [first, second] = servers as [ServerProcess, ServerProcess];
              const created = async () => JSON.parse((await asked.ask("/v1/pets?limit=100", KEY)).text).length;
              while (await created() < 50);
              assert.equal(await first.stop(), 0);
              while (await created() < 80);
              isKilled = true;
              await second.stop("SIGKILL");
              await startAgain(url, second.port, async (server) => {
                // It gets requests again and shows what the others have acknowledged.
                while (!server.written.stdout.includes("GET /v1/pets")) await created();
                isDone = true;
                for (const count of await Promise.all(lists)) assert.ok(count > 0);
              });
            });
          })
        ),
    )
  ));

function startAgain(url: string, port: number, use: (server: ServerProcess) => Promise<void>): Promise<void> {
  return withTempFolder((folder) => withServer(folder, onStore(url, `--port=${port}`), use));
}
