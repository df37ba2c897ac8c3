/** An nginx that gives a petstore another path. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyNoNginx } from "../../support/nginx/nginx.ts";
import { withTempFolder } from "../../support/temp.ts";

export { whyNoNginx };

/** Debian installs it in a folder that is not on every user's PATH. */
const PATH = `${Deno.env.get("PATH")}:/usr/sbin`;

/** Runs an nginx that has `/store/v1/` where the server has `/v1/`. */
export function withPathProxy(origin: string, use: (proxy: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (folder) => {
    const probe = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = probe.addr;
    probe.close();
    const bodies = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder};`);
    const server = `server { listen 127.0.0.1:${port}; location /store/v1/ { proxy_pass ${origin}/v1/; } }`;
    writeFileSync(
      join(folder, "nginx.conf"),
      `pid ${folder}/pid; events {} http { access_log off; ${bodies.join(" ")} ${server} }`,
    );
    const child = new Deno.Command("nginx", {
      args: ["-e", "stderr", "-p", folder, "-c", "nginx.conf", "-g", "daemon off;"],
      env: { PATH },
      stdout: "null",
      stderr: "null",
    }).spawn();
    try {
      await untilAccepted(port);
      await use(`http://127.0.0.1:${port}`);
    } finally {
      child.kill("SIGTERM");
      await child.status;
    }
  });
}

async function untilAccepted(port: number): Promise<void> {
  for (const guard = AbortSignal.timeout(10_000);;) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch (error) {
      if (guard.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
