import { serveCheckout } from "../http/deno_serve.ts";
import { Child } from "../system/child.ts";
import { withTempFolder } from "../temp.ts";
import { taskFlags } from "./serve_task.ts";
import { STARTED } from "./server_process.ts";

/** Starts a server from an address on the network, as from JSR. When it has started, nothing can be fetched any more. */
export function withRemoteServer(
  args: readonly string[],
  use: (server: { child: Child; port: number }) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (folder) => {
    const modules = serveCheckout();
    const address = `127.0.0.1:${modules.addr.port}`;
    const line = [
      "run",
      "--quiet",
      ...taskFlags(),
      `--allow-import=${address}`,
      `http://${address}/server.ts`,
      "--port=0",
      ...args,
    ];
    await using child = new Child(Deno.execPath(), line, { cwd: folder, env: { DENO_DIR: `${folder}/cache` } });
    try {
      await child.printed(STARTED);
      await modules.shutdown();
      await use({ child, port: Number(/ listens on http:\S+:(\d+)\/v1$/m.exec(child.written.stdout)?.[1]) });
    } finally {
      await modules.shutdown();
    }
  });
}
