/** The package as Deno gets it: from a checkout by links, and file by file as JSR serves it. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";
import { ROOT } from "../../../tools/release/packages.ts";
import root from "../../../deno.json" with { type: "json" };
import { withTempFolder } from "../../support/temp.ts";
import { clientOf, start, succeed } from "./support/project.ts";

/** Serves files of this checkout as JSR does. */
function serveCheckout(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    const type = pathname.endsWith(".json") ? "application/json" : "application/typescript";
    const text = await Deno.readTextFile(`${ROOT}${pathname}`);
    return new Response(text, { headers: { "content-type": type } });
  });
}

test("a Deno project elsewhere uses a checkout by links, and its types pass with the settings of a new project", () =>
  withTempFolder(async (folder) => {
    const name = "@petstore/petstore";
    const config = { links: [ROOT], imports: { [name]: `jsr:${name}@${root.version}` } };
    writeFileSync(join(folder, "deno.json"), JSON.stringify(config));
    const imports = Object.keys(root.exports).map((entry) => `import "${name}${entry.slice(1)}";\n`);
    writeFileSync(join(folder, "all.ts"), imports.filter((line) => !line.includes("/server")).join(""));
    const env = { HOME: folder, DENO_DIR: join(folder, "cache") };
    await succeed(process.execPath, ["check", "--no-remote", "all.ts"], folder, env);
    await succeed(process.execPath, ["run", "--no-remote", "--allow-env", "all.ts"], folder, env);
  }));

test("the program that JSR has serves pets, and the page with its scripts", () =>
  withTempFolder(async (folder) => {
    await using server = serveCheckout();
    const host = `127.0.0.1:${server.addr.port}`;
    const program = `http://${host}/${root.exports["./server"]}`;
    const permissions = ["net", "read", "write", "sys=uid", "env", `import=${host}`].map((name) => `--allow-${name}`);
    const args = ["run", "--quiet", "--no-prompt", ...permissions, program, "serve", "--port=0"];
    await using petstore = start(process.execPath, args, folder);
    const { pets } = await clientOf(petstore, folder);
    assert.equal((await pets.create({ name: "Rex", categoryId: 2n ** 63n - 1n })).id, 1n);
    const [, origin] = await petstore.printed(/listens on (http:\S+)\/v1$/m);
    const [, script] = /src="(\S+\/swagger-ui-bundle\.js)"/.exec(await (await fetch(`${origin}/docs`)).text()) ?? [];
    assert.match(await (await fetch(`${origin}/${script}`)).text(), /SwaggerUIBundle/);
    assert.equal(await petstore.stop(), 0);
    assert.doesNotMatch(petstore.written.stderr, /rror|denied/);
  }));
